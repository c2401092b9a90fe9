// Writes what four packages are published with to their folders `lib`, from what `tsc -b` wrote to
// `dist` before: one file an entry, and one for what entries share, of JavaScript without comments and
// of declarations with them. Opening twenty files costs a process more time than running them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { joinDeclarations } from "../src/declarations/join-declarations.ts";

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
  const lib = join(root, folder, "lib");
  rmSync(lib, { recursive: true, force: true });
  await build({
    absWorkingDir: join(root, folder),
    entryPoints: entries,
    outbase: "src",
    outdir: "lib",
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
    minifySyntax: true,
    lineLimit: 800,
    legalComments: "none",
    write: true,
  });
  const declarations = joinDeclarations(
    entries.map((source) => source.replace(/^\.\/src\//, "").replace(/\.ts$/, ".d.ts")),
    (path) => readFileSync(join(root, folder, "dist", path), "utf8"),
  );
  for (const [path, text] of Object.entries(declarations)) {
    mkdirSync(dirname(join(lib, path)), { recursive: true });
    writeFileSync(join(lib, path), text);
  }
}
