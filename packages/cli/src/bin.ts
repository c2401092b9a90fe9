#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import process from "node:process";

// Without this module Node.js prints only a stack, so users of `npx` get a message that says what to do.
if (isBuiltin("node:sqlite")) {
  await import("./main.ts");
} else {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  // The package's own.
  const { engines } = manifest as { engines: { node: string } };
  process.stderr.write(
    `countersign: CS_CLI_NODE_TOO_OLD: this is Node.js ${process.versions.node}; countersign needs ${engines.node}\n`,
  );
  process.exitCode = 2;
}
