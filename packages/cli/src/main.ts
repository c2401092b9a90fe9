#!/usr/bin/env node
import { readFileSync } from "node:fs";
import process from "node:process";
import { askSecret } from "./ask-secret.ts";
import { run } from "./run.ts";

/** Resolves at the first SIGINT or SIGTERM; the second ends the process at once, as ever. */
function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

// Beside both src/ and dist/.
const manifest: unknown = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
);
// npm packs no package without a version.
const { version } = manifest as { version: string };

const args = process.argv.slice(2);
// What serves finishes its calls; whoever asks while it starts is heard once it runs. Any other command
// ends at the first SIGINT: what it writes it moves into place when it is whole.
const serves = ["sandbox", "serve"].includes(args[0] ?? "");
const asked = serves ? askedToEnd() : Promise.resolve();

process.exitCode = await run(args, {
  terminal: {
    out: (line) => void process.stdout.write(`${line}\n`),
    err: (line) => void process.stderr.write(`${line}\n`),
  },
  env: process.env,
  asked: () => asked,
  askSecret,
  version,
});
