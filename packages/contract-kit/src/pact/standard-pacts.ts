import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folder of the pacts that `@countersign/contracts` publishes. */
export function standardPacts(): string {
  const manifest = createRequire(import.meta.url).resolve("@countersign/contracts/package.json");
  return join(dirname(manifest), "pacts");
}
