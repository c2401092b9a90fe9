import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";

const folders = (process.env["PATH"] ?? "").split(delimiter);

/** Whether a command can be started by its name; a virtual machine is not started to find out. */
export const isOnPath = (command: string): boolean =>
  folders.some((folder) =>
    [command, `${command}.exe`].some((name) => existsSync(join(folder, name))),
  );
