import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the inspector's built page; `undefined` where the package holds none. */
export function inspectorFolder(): string | undefined {
  try {
    const page = fileURLToPath(import.meta.resolve("@countersign/inspector/dist/index.html"));
    return existsSync(page) ? dirname(page) : undefined;
  } catch {
    // Not installed, or not built yet in a checkout.
    return undefined;
  }
}
