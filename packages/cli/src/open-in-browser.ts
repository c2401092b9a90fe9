import { spawn } from "node:child_process";

/** What opens an address on each system. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens an address in the user's browser. Returns at once; where nothing opens it, `say` hears so. */
export function openInBrowser(address: string, say: (line: string) => void): void {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => say(`--open: no ${command} here; open the address by hand`));
  child.unref();
}
