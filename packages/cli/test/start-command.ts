import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Node's flags for the command's sources. */
export const flags = ["--disable-warning=ExperimentalWarning"];

/** Writes a script `countersign` for a shell's PATH, which adds words to its arguments. */
export function writeCommand(folder: string, ...more: readonly string[]): void {
  const words = [`"${process.execPath}"`, ...flags, `"${main}"`, '"$@"', ...more];
  const script = `#!/bin/sh\nexec ${words.join(" ")}\n`;
  writeFileSync(join(folder, "countersign"), script, { mode: 0o755 });
}

export type Started = ReturnType<typeof start>;

export interface StartOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Module that Node loads before the command. */
  readonly preload?: string;
}

// PATH and the compile cache; no other variable of this process.
const { PATH, NODE_COMPILE_CACHE } = process.env;
const kept = { PATH, NODE_COMPILE_CACHE };

/** Starts the command as its own process, from its sources. */
export function start(args: readonly string[], { folder, env = {}, preload }: StartOptions) {
  const imports = preload === undefined ? [] : [`--import=${preload}`];
  const child = spawn(process.execPath, [...flags, ...imports, main, ...args], {
    cwd: folder,
    env: { ...kept, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  /** Resolves with the URL of the line `ready URL`, or rejects if the process ends first. */
  const ready = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = /^ready (.*)$/m.exec(said.out);
        if (match !== null) resolve(match[1] ?? "");
      };
      child.stdout.on("data", look);
      look();
      void exited.then((status) => reject(new Error(`ended with ${status}: ${said.err}`)));
    });
  return {
    process: child,
    stdout: (): string => said.out,
    stderr: (): string => said.err,
    ready,
    /** Asks the process to end, as a terminal does. @returns Its exit status. */
    end: (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
      child.kill(signal);
      return exited;
    },
    exited,
  };
}
