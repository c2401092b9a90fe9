// Builds `lib` of every published package with rolldown. tsdown, its wrapper, has no option for what is special here:
// each package's internal packages bundled in, data found by one relative path, optional peers in declarations, and
// dependencies that must be exactly the imported ones.
import { cpSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { build, type Plugin } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { entriesOf, packages, type Package, published, root } from "./packages.ts";

/** Copies of files that a package reads, by package. Those with pacts also run a separate script. */
const schema = { schema: "packages/service/schema" };
const contracts = {
  "data/contracts/pacts": "contracts/pacts",
  "data/contracts/requirements": "contracts/requirements",
  "data/schemas": "schemas/documents",
};
const page = { "data/inspector/dist": "packages/inspector/dist" };
const extras: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@countersign/contract-kit": contracts,
  "@countersign/sandbox": schema,
  countersign: { ...schema, ...contracts, ...page },
};
const child = join(root, "packages/contract-kit/src/pact/child.ts");

const isOurs = (id: string): boolean => id.startsWith("@countersign/");
const isExternal = (id: string): boolean => !isOurs(id) && !id.startsWith(".") && !isAbsolute(id);

/** Data of other packages is read by their names, and from copies in `data` once it is packed. */
const fromCopies: Plugin = {
  name: "from-copies",
  renderChunk: (code) => ({
    code: code.replaceAll(
      /(["`])@countersign\/(contracts|schemas|inspector)\//g,
      "$1../../data/$2/",
    ),
    // The lines stay where they were.
    map: null,
  }),
};

/** Reads the declarations that `tsc -b` wrote for the sources of the internal packages. */
const internalDeclarations: Plugin = {
  name: "internal-declarations",
  resolveId: {
    order: "pre",
    handler(id) {
      const [, name = "", entry = "index"] = /^(@[^/]+\/[^/]+)(?:\/(.+))?$/.exec(id) ?? [];
      const found = packages.get(name);
      const source = found && entriesOf(found)[entry];
      return found && source && declared(join(found.folder, source));
    },
  },
};

const declared = (source: string): string =>
  source.replace(/^(.*)\/src\/(.*)\.ts$/, "$1/dist/$2.d.ts");

/** Lets declarations compile if an optional peer is missing: its types are then `any`. */
const optionalPeers = ({ peerDependenciesMeta = {} }: Package["manifest"]): Plugin => ({
  name: "optional-peers",
  // The bundler's helpers are not declarations.
  generateBundle(_, files) {
    for (const name of Object.keys(files))
      if (name.includes("rolldown-runtime")) delete files[name];
  },
  renderChunk: (code) =>
    code.replaceAll(/^import .* from "([^"]+)";$/gm, (line, from: string) =>
      from in peerDependenciesMeta ? `// @ts-ignore ${from} is an optional peer\n${line}` : line,
    ),
});

for (const one of published) {
  const { folder, manifest } = one;
  const copies = extras[manifest.name] ?? {};
  const entries = Object.entries(entriesOf(one));
  const { dependencies = {}, peerDependencies = {}, publishConfig } = manifest;
  for (const built of ["lib", "data", ...Object.keys(copies)])
    rmSync(join(folder, built), { recursive: true, force: true });
  const hasCommonJs = JSON.stringify(publishConfig).includes('"require"');
  const used = new Set<string>();
  for (const [format, extension, declarations] of [
    ["esm", "js", "d.ts"],
    ...(hasCommonJs ? ([["cjs", "cjs", "d.cts"]] as const) : []),
  ] as const) {
    const common = { cwd: folder, platform: "node", external: isExternal } as const;
    const dir = join(folder, "lib", format);
    // One at a time: the bundler uses every core.
    // oxlint-disable-next-line no-await-in-loop
    const { output } = await build({
      ...common,
      input: { ...Object.fromEntries(entries), ...("data/contracts/pacts" in copies && { child }) },
      plugins: hasCommonJs ? [] : [fromCopies],
      output: {
        dir,
        entryFileNames: `[name].${extension}`,
        chunkFileNames: `shared-[name].${extension}`,
        format,
        // The command needs neither source maps nor declarations.
        sourcemap: manifest.bin === undefined,
      },
    });
    const own = new Set(output.map(({ fileName }) => fileName));
    for (const part of output)
      for (const id of part.type === "chunk" ? [...part.imports, ...part.dynamicImports] : [])
        if (!own.has(id) && !id.startsWith("node:"))
          used.add(/^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id);
    if (manifest.bin !== undefined) continue;
    // oxlint-disable-next-line no-await-in-loop
    await build({
      ...common,
      input: Object.fromEntries(
        entries.map(([name, source]) => [`${name}.d`, declared(join(folder, source))]),
      ),
      plugins: [internalDeclarations, dts({ dtsInput: true }), optionalPeers(manifest)],
      output: {
        dir,
        entryFileNames: ({ name }) => `${name.replace(/\.d$/, "")}.${declarations}`,
        chunkFileNames: ({ name }) => `shared-${name.replace(/\.d$/, "")}.${declarations}`,
      },
    });
  }
  // A peer may be resolved by its name at run time, and its types are optional.
  const missing = [...used].filter((name) => !(name in { ...dependencies, ...peerDependencies }));
  const unused = Object.keys(dependencies).filter((name) => !used.has(name));
  if (missing.length + unused.length > 0)
    throw new Error(
      `invalid dependencies of ${manifest.name}: missing [${missing.join()}], unused [${unused.join()}]`,
    );
  for (const [to, from] of Object.entries(copies))
    cpSync(join(root, from), join(folder, to), { recursive: true });
}
