// Builds the package that merchants install: `packages/receiver/lib`, from its sources and the
// declarations that `tsc -b` wrote to `dist`. Our internal packages are bundled in, so that it has no
// dependency. ECMAScript modules and CommonJS each share one copy of the code among their entries.
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";

const receiver = fileURLToPath(new URL("../../receiver/", import.meta.url));

const INTERNAL = ["@countersign/rules", "@countersign/schemas", "@countersign/signatures"];

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly "@countersign/source"?: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const { exports, peerDependencies } = JSON.parse(
  readFileSync(`${receiver}package.json`, "utf8"),
) as Manifest;
const external = [/^node:/, ...Object.keys(peerDependencies)];
/** The sources of the entries, by their names: "index", "express", … */
const entries = Object.entries(exports).flatMap(([path, target]) => {
  const source = typeof target === "string" ? undefined : target["@countersign/source"];
  return source === undefined ? [] : [[path === "." ? "index" : path.slice(2), source] as const];
});
const named = (extension: string) => ({
  entryFileNames: `[name].${extension}`,
  // A chunk of declarations is called after its `name.d.ts`.
  chunkFileNames: ({ name }: { readonly name: string }) =>
    `shared/${name.replace(/\.d$/, "")}.${extension}`,
});

/** Lets declarations compile where an optional peer is missing: its types are then `any`. */
const optionalPeers = {
  name: "optional-peers",
  renderChunk: (code: string) =>
    code.replaceAll(/^import .* from '([^']+)';$/gm, (line, from: string) =>
      from in peerDependencies ? `// @ts-ignore ${from} is an optional peer\n${line}` : line,
    ),
};

rmSync(`${receiver}lib`, { recursive: true, force: true });
const formats = { js: "esm", cjs: "cjs" } as const;
for (const extension of ["js", "cjs"] as const)
  await build({
    cwd: receiver,
    input: Object.fromEntries(entries),
    platform: "node",
    external,
    resolve: { conditionNames: ["@countersign/source"] },
    output: {
      dir: `${receiver}lib`,
      ...named(extension),
      format: formats[extension],
      sourcemap: true,
    },
  });

const declarations = await rollup({
  input: Object.fromEntries(
    entries.map(([name, source]) => [
      name,
      source.replace(/^\.\/src\/(.*)\.ts$/, `${receiver}dist/$1.d.ts`),
    ]),
  ),
  external,
  onwarn({ message }) {
    // A type that only adapters need has no name for users.
    if (!message.includes("references private shared type")) throw new Error(message);
  },
  plugins: [
    optionalPeers,
    dts({
      includeExternal: INTERNAL,
      compilerOptions: {
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        module: ts.ModuleKind.NodeNext,
      },
    }),
  ],
});
for (const extension of ["d.ts", "d.cts"])
  await declarations.write({
    dir: `${receiver}lib`,
    ...named(extension),
    hoistTransitiveImports: false,
  });
await declarations.close();
