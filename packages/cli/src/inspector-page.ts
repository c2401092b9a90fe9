import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";

/** The folder of the inspector's built page; `undefined` if the package holds none. */
export function inspectorFolder(): string | undefined {
  try {
    const page = fileURLToPath(import.meta.resolve("@countersign/inspector/dist/index.html"));
    return existsSync(page) ? dirname(page) : undefined;
  } catch {
    // Not installed, or not built yet in a checkout.
    return undefined;
  }
}

/** Stands for the page's address without one. */
export const NOT_BUILT = "not built in this checkout; run pnpm build";

/** The command that opens an address, by system. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens an address that holds a secret in the user's browser, and returns what removes the page that leads there: every user
 * of a machine can read the arguments of all processes, so the opener gets the path of a file that only this user can read.
 */
export async function openInBrowser(
  address: string,
  say: (line: string) => void,
): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-"));
  const page = join(folder, "open.html");
  await writeFile(page, redirectTo(address), { mode: 0o600, flag: "wx" });
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, pathToFileURL(page).href], {
    stdio: "ignore",
    detached: true,
  });
  child.on("error", () => say(`--open: no ${command} here; open the address by hand`));
  child.unref();
  return () => rm(folder, { recursive: true, force: true });
}

function redirectTo(address: string): string {
  const escaped = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${escaped}">
<title>Countersign inspector</title>
<a href="${escaped}">Open the inspector</a>
`;
}
