// Builds `lib` of every published package, from its sources and the declarations that `tsc -b` wrote to `dist`. All
// packages of this repository are bundled in, so that a published one depends on third parties only. The files of a
// build lie in one folder, two below the package's: what the sources find by a URL relative to theirs is found there.
import { cpSync, existsSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { build } from "rolldown";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { entriesOf, packages, type Package, published, root } from "../src/published.ts";

/** Scripts that a package runs in separate processes, and copies of files that it reads. */
interface Extras {
  readonly scripts: Readonly<Record<string, string>>;
  readonly copies: Readonly<Record<string, string>>;
}
const service: Extras = {
  scripts: {},
  copies: { migrations: "packages/service/migrations" },
};
const kit: Extras = {
  scripts: { child: join(root, "packages/contract-kit/src/pact/child.ts") },
  copies: {
    "data/contracts/pacts": "contracts/pacts",
    "data/contracts/requirements": "contracts/requirements",
    "data/schemas": "schemas/documents",
  },
};
const extras: Readonly<Record<string, Extras>> = {
  "@countersign/contract-kit": kit,
  "@countersign/sandbox": service,
  countersign: {
    scripts: { ...service.scripts, ...kit.scripts },
    copies: {
      ...service.copies,
      ...kit.copies,
      "data/inspector/dist": "packages/inspector/dist",
    },
  },
};

const isOurs = (id: string): boolean => /^(@countersign\/|countersign$)/.test(id);
const isExternal = (id: string): boolean => !isOurs(id) && !id.startsWith(".") && !isAbsolute(id);

/** The source of an internal entry such as `@countersign/rules` or `@countersign/schemas/readers`. */
function sourceOf(id: string): string | undefined {
  const [, name = "", entry = "index"] = /^(@[^/]+\/[^/]+)(?:\/(.+))?$/.exec(id) ?? [];
  const of = packages.get(name);
  const source = of && entriesOf(of)[entry];
  return of && source && join(of.folder, source);
}

/** Data of other packages is read by their names, and from copies in `data` once it is packed. */
const fromCopies = {
  name: "from-copies",
  renderChunk: (code: string) => ({
    code: code.replaceAll(
      /(["`])@countersign\/(contracts|schemas|inspector)\//g,
      "$1../../data/$2/",
    ),
    map: null,
  }),
};

const formats = { esm: ["js", "d.ts"], cjs: ["cjs", "d.cts"] } as const;

for (const one of published) {
  const { folder, manifest } = one;
  const { scripts, copies } = extras[manifest.name] ?? { scripts: {}, copies: {} };
  const entries = entriesOf(one);
  const { dependencies = {}, peerDependencies = {} } = manifest;
  const used = new Set<string>();
  for (const built of ["lib", "data", ...Object.keys(copies)])
    rmSync(join(folder, built), { recursive: true, force: true });
  const hasCommonJs = JSON.stringify(manifest.exports).includes('"require"');
  for (const format of hasCommonJs ? (["esm", "cjs"] as const) : (["esm"] as const)) {
    const [extension] = formats[format];
    // One at a time: the bundler uses every core.
    // oxlint-disable-next-line no-await-in-loop
    const { output } = await build({
      cwd: folder,
      input: { ...entries, ...scripts },
      platform: "node",
      external: isExternal,
      resolve: { conditionNames: ["@countersign/source"] },
      plugins: hasCommonJs ? [] : [fromCopies],
      output: {
        dir: join(folder, "lib", format),
        entryFileNames: `[name].${extension}`,
        chunkFileNames: `shared-[name].${extension}`,
        format,
        // The command needs no source maps.
        sourcemap: manifest.bin === undefined,
      },
    });
    const own = new Set(output.map(({ fileName }) => fileName));
    for (const part of output)
      if (part.type === "chunk")
        for (const id of [...part.imports, ...part.dynamicImports])
          if (!own.has(id) && !id.startsWith("node:"))
            used.add(/^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id);
  }
  // A peer may be resolved by its name at run time, and its types are optional.
  const named = { ...dependencies, ...peerDependencies };
  const missing = [...used].filter((name) => !(name in named));
  const unused = Object.keys(dependencies).filter((name) => !used.has(name));
  if (missing.length + unused.length > 0)
    throw new Error(
      `invalid dependencies of ${manifest.name}: missing [${missing.join()}], unused [${unused.join()}]`,
    );
  for (const [to, from] of Object.entries(copies)) {
    cpSync(join(root, from), join(folder, to), { recursive: true });
  }
  if (manifest.bin === undefined) await writeDeclarations(one, hasCommonJs);
}

/** Lets declarations compile if an optional peer is missing: its types are then `any`. */
function optionalPeers({ manifest: { peerDependenciesMeta = {} } }: Package) {
  return {
    name: "optional-peers",
    renderChunk: (code: string) =>
      code.replaceAll(/^import .* from '([^']+)';$/gm, (line, from: string) =>
        from in peerDependenciesMeta ? `// @ts-ignore ${from} is an optional peer\n${line}` : line,
      ),
  };
}

/** The declarations that `tsc -b` wrote for a source. */
function declared(source: string): string {
  return source.replace(/^(.*)\/src\/(.*)\.ts$/, "$1/dist/$2.d.ts");
}

async function writeDeclarations(one: Package, hasCommonJs: boolean): Promise<void> {
  const input = Object.entries(entriesOf(one)).map(
    ([name, source]) => [name, declared(join(one.folder, source))] as const,
  );
  const bundle = await rollup({
    input: Object.fromEntries(input),
    external: isExternal,
    onwarn({ message }) {
      // A type that only internal packages need is not exported to users.
      if (!message.includes("references private shared type")) throw new Error(message);
    },
    plugins: [
      {
        name: "declarations-of-ours",
        resolveId(id: string) {
          const source = isOurs(id) ? sourceOf(id) : undefined;
          const path = source && declared(source);
          return path !== undefined && existsSync(path) ? path : undefined;
        },
      },
      optionalPeers(one),
      dts({
        compilerOptions: {
          moduleResolution: ts.ModuleResolutionKind.NodeNext,
          module: ts.ModuleKind.NodeNext,
        },
      }),
    ],
  });
  for (const format of hasCommonJs ? (["esm", "cjs"] as const) : (["esm"] as const)) {
    const [, extension] = formats[format];
    // oxlint-disable-next-line no-await-in-loop -- two small writes
    await bundle.write({
      dir: join(one.folder, "lib", format),
      entryFileNames: `[name].${extension}`,
      // A chunk of declarations is called after its `name.d.ts`.
      chunkFileNames: ({ name }: { readonly name: string }) =>
        `shared-${name.replace(/\.d$/, "")}.${extension}`,
      hoistTransitiveImports: false,
    });
  }
  await bundle.close();
}
