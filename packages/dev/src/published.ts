import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder, with a slash at its end. */
export const root: string = fileURLToPath(new URL("../../../", import.meta.url));

/** The members of a manifest that packing needs. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly private?: true;
  /** An entry is its source, a file, or the condition's source and what is packed for it. */
  readonly exports?: Readonly<
    Record<string, string | { readonly "@countersign/source": string; readonly require?: string }>
  >;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

/** A package of this repository. */
export interface Package {
  /** Its folder, absolute. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** All packages, by name. */
export const packages: ReadonlyMap<string, Package> = new Map(
  globSync("{packages/*,schemas,contracts}/package.json", { cwd: root })
    .toSorted()
    .map((path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest;
      return [manifest.name, { folder: join(root, dirname(path)), manifest }];
    }),
);

/** The packages that users install. The others are bundled into them. */
export const published: readonly Package[] = [...packages.values()].filter(
  ({ manifest }) => manifest.private !== true,
);

/** The source of each entry that is built, by its name: `index`, `express`, … */
export function entriesOf({ manifest }: Package): Readonly<Record<string, string>> {
  // A published package keeps entries that are a source for this repository.
  const isSource = (target: string): boolean => target.endsWith(".ts") && manifest.private === true;
  const entries = Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
    const source = typeof target === "string" ? target : target["@countersign/source"];
    if (typeof target === "string" && !isSource(target)) return [];
    return [[path === "." ? "index" : path.slice(2), source] as const];
  });
  const commands = Object.values(manifest.bin ?? {}).map((path) => {
    const name = path.replace(/^.*\/(.*)\.js$/, "$1");
    return [name, `./src/${name}.ts`] as const;
  });
  return Object.fromEntries([...entries, ...commands]);
}
