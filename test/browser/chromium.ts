import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { afterAll, describe } from "vitest";

const candidates = [
  process.env["COUNTERSIGN_CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const executablePath = candidates.find((path) => path !== "" && existsSync(path));

if (executablePath === undefined)
  console.warn("no Chromium here: the tests of the inspector's page are skipped (CONTRIBUTING.md)");

/** A suite that needs a browser: skipped without one, with the line above. */
export const describeInBrowser = executablePath === undefined ? describe.skip : describe;

/** One browser for a file of tests; ends with it. Nothing leaves this machine. */
export function browserOfFile(): () => Promise<Browser> {
  let launched: Promise<Browser> | undefined;
  afterAll(async () => {
    await (await launched)?.close();
  });
  return () =>
    (launched ??= chromium.launch({
      executablePath: executablePath ?? "",
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-precise-memory-info",
        "--font-render-hinting=none",
      ],
    }));
}
