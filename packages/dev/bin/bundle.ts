// Writes the JavaScript that four packages are published with: one file an entry, and one for what
// entries share, without comments. Opening twenty files costs a process more time than running them,
// and the comments stand in the declarations already. Types come from `tsc -b`, which runs before.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folders = ["packages/signatures", "packages/rules", "schemas", "packages/receiver"];

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "@countersign/source"?: string }>>;
}

for (const folder of folders) {
  const { exports } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  ) as Manifest;
  const entries = Object.values(exports)
    .map((entry) => (typeof entry === "string" ? undefined : entry["@countersign/source"]))
    .filter((source) => source !== undefined);
  const dist = join(root, folder, "dist");
  removeUnreachable(
    dist,
    entries.map((source) => source.replace(/^\.\/src\//, "").replace(/\.ts$/, ".d.ts")),
  );
  for (const file of globSync("**/*.js", { cwd: dist })) rmSync(join(dist, file));
  await build({
    absWorkingDir: join(root, folder),
    entryPoints: entries,
    outbase: "src",
    outdir: "dist",
    bundle: true,
    splitting: true,
    chunkNames: "shared-[hash]",
    format: "esm",
    platform: "neutral",
    target: "es2024",
    // Only what is the package's own is joined.
    packages: "external",
    external: ["node:*"],
    // Node prints the line that threw: the whole package on one line would bury the message.
    minifyWhitespace: true,
    lineLimit: 120,
    legalComments: "none",
    write: true,
  });
}

/** Removes the declarations that no entry's declarations lead to: nobody can name what is in them. */
function removeUnreachable(dist: string, entries: readonly string[]): void {
  const reachable = new Set<string>();
  const visit = (file: string): void => {
    if (reachable.has(file) || !existsSync(join(dist, file))) return;
    reachable.add(file);
    const text = readFileSync(join(dist, file), "utf8");
    for (const [, target = ""] of text.matchAll(/(?:from |import\()"(\.[^"]+)"/g))
      visit(normalize(join(dirname(file), target)).replace(/\.(?:ts|js)$/, ".d.ts"));
  };
  for (const entry of entries) visit(normalize(entry));
  for (const file of globSync("**/*.d.ts", { cwd: dist }))
    if (!reachable.has(normalize(file))) rmSync(join(dist, file));
}
