import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packageFolder = fileURLToPath(new URL("../../inspector/", import.meta.url));
const schemasFolder = fileURLToPath(new URL("../../../schemas/", import.meta.url));
const pages = join(packageFolder, "node_modules", ".pages");

/**
 * Builds the inspector's page, unless it has been built from these very sources. Two processes may build at
 * one time: a folder is named after its sources, and moved into place whole.
 *
 * @returns The folder, and whether it was built now.
 */
export function buildInspector(): { readonly folder: string; readonly isNew: boolean } {
  const folder = join(pages, hashOfSources());
  if (existsSync(folder)) return { folder, isNew: false };
  mkdirSync(pages, { recursive: true });
  const made = mkdtempSync(join(pages, "making-"));
  try {
    const vite = join(packageFolder, "node_modules", "vite", "bin", "vite.js");
    const options = ["--config", "vite.config.ts", "--outDir", made, "--logLevel", "warn"];
    execFileSync(process.execPath, [vite, "build", ...options], {
      cwd: packageFolder,
      // A test's or a developer's own would bundle React's development build.
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    renameSync(made, folder);
    return { folder, isNew: true };
  } catch (error) {
    // Another process was quicker.
    if (existsSync(folder)) return { folder, isNew: false };
    throw error;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function hashOfSources(): string {
  const hash = createHash("sha256").update("production");
  for (const [folder, names] of [
    [packageFolder, ["src", "public", "index.html", "package.json", "vite.config.ts"]],
    [schemasFolder, ["src", "package.json"]],
  ] as const) {
    for (const name of names)
      for (const file of filesOf(join(folder, name))) {
        hash.update(file).update("\0").update(readFileSync(file)).update("\0");
      }
  }
  return hash.digest("hex").slice(0, 24);
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .toSorted();
}
