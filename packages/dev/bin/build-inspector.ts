// Builds the inspector's page into its package's `dist`, unless it is up to date.
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInspector } from "../src/build-inspector.ts";

const dist = fileURLToPath(new URL("../../inspector/dist", import.meta.url));
const { folder } = buildInspector();
const index = join(dist, "index.html");
// The page names its scripts by a hash of their content, so equal pages are equal builds.
const isThere =
  existsSync(index) &&
  readFileSync(index, "utf8") === readFileSync(join(folder, "index.html"), "utf8");
if (!isThere) {
  // Several processes may build concurrently: each moves a complete folder into place.
  const made = mkdtempSync(join(dirname(folder), "dist-"));
  try {
    cpSync(folder, made, { recursive: true });
    rmSync(dist, { recursive: true, force: true });
    renameSync(made, dist);
    console.error(`built ${dist}`);
  } catch (error) {
    if (!existsSync(index)) throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}
