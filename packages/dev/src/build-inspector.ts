import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { root } from "./published.ts";

const packageFolder = join(root, "packages", "inspector");
const pages = join(packageFolder, "node_modules", ".pages");
const SOURCES =
  "{packages/inspector/{src,public}/**/*.*,packages/inspector/{index.html,package.json,vite.config.ts},schemas/src/**/*.ts}";

/**
 * Builds the inspector's page, unless it was built from the same sources before. Several processes may build
 * concurrently: a folder is named after its sources' hash, and moved into place whole.
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
      // The environment of a test or a developer would bundle React's development build.
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
  for (const path of globSync(SOURCES, { cwd: root }).toSorted())
    hash
      .update(path)
      .update("\0")
      .update(readFileSync(join(root, path)))
      .update("\0");
  return hash.digest("hex").slice(0, 24);
}
