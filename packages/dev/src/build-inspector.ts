import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packageFolder = fileURLToPath(new URL("../../inspector/", import.meta.url));
const schemasFolder = fileURLToPath(new URL("../../../schemas/", import.meta.url));
const dist = join(packageFolder, "dist");
const stamp = join(packageFolder, "node_modules", ".built");

/**
 * Builds the inspector's page into its `dist`, unless what is there was built from these very sources.
 * Two processes may build at one time: each moves a whole folder into place.
 *
 * @returns The folder, and whether it was built now.
 */
export function buildInspector(): { readonly folder: string; readonly isNew: boolean } {
  const hash = hashOfSources();
  if (existsSync(join(dist, "index.html")) && builtFrom() === hash)
    return { folder: dist, isNew: false };
  const made = mkdtempSync(join(packageFolder, "node_modules", ".dist-"));
  try {
    const vite = join(packageFolder, "node_modules", "vite", "bin", "vite.js");
    const options = ["--config", "vite.config.ts", "--outDir", made, "--logLevel", "warn"];
    execFileSync(process.execPath, [vite, "build", ...options], {
      cwd: packageFolder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    rmSync(dist, { recursive: true, force: true });
    try {
      renameSync(made, dist);
    } catch {
      cpSync(made, dist, { recursive: true });
    }
    writeFileSync(stamp, hash);
    return { folder: dist, isNew: true };
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function builtFrom(): string {
  return existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
}

function hashOfSources(): string {
  const hash = createHash("sha256");
  for (const [folder, names] of [
    [packageFolder, ["src", "public", "index.html", "package.json", "vite.config.ts"]],
    [schemasFolder, ["src", "checks", "package.json"]],
  ] as const) {
    for (const name of names)
      for (const file of filesOf(join(folder, name))) {
        hash.update(file).update("\0").update(readFileSync(file)).update("\0");
      }
  }
  return hash.digest("hex");
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile())
    .toSorted();
}
