// Builds the inspector's page into its package's `dist`, where its sources have changed since.
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInspector } from "../src/build-inspector.ts";

const dist = fileURLToPath(new URL("../../inspector/dist/", import.meta.url));
const { folder } = buildInspector();
const index = join(dist, "index.html");
// The page names its scripts by their content: one page, one build.
const isThere =
  existsSync(index) &&
  readFileSync(index, "utf8") === readFileSync(join(folder, "index.html"), "utf8");
if (!isThere) {
  rmSync(dist, { recursive: true, force: true });
  cpSync(folder, dist, { recursive: true });
  console.error(`built ${dist}`);
}
