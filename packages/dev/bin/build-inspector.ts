// Builds the inspector's page into its package's `dist`, where its sources have changed since.
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInspector } from "../src/build-inspector.ts";

const dist = fileURLToPath(new URL("../../inspector/dist", import.meta.url));
const { folder } = buildInspector();
const index = join(dist, "index.html");
// The page names its scripts by their content: one page, one build.
const isThere =
  existsSync(index) &&
  readFileSync(index, "utf8") === readFileSync(join(folder, "index.html"), "utf8");
if (!isThere) {
  // Two processes may do so at one time: each moves a whole folder into place, and either is as good.
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
