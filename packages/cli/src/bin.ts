#!/usr/bin/env node
import { createRequire, isBuiltin } from "node:module";
import process from "node:process";

// Without this module Node.js prints only a stack, so users of `npx` get a message that says what to do.
if (isBuiltin("node:sqlite")) {
  await import("./main.ts");
} else {
  // The package's own manifest.
  const { engines } = createRequire(import.meta.url)("countersign/package.json") as {
    readonly engines: { readonly node: string };
  };
  process.stderr.write(
    `countersign: CS_CLI_NODE_TOO_OLD: this is Node.js ${process.versions.node}; countersign needs ${engines.node}: ` +
      "install it, or run npx -p node@24 -p countersign countersign …\n",
  );
  process.exitCode = 2;
}
