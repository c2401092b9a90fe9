// Reads the manifests of this repository: pnpm lists packages, but not the sources of their entries.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder, with a slash at its end. */
export const root: string = fileURLToPath(new URL("../", import.meta.url));

type Names = Readonly<Record<string, string>>;

/** The members of a manifest that building and packing need. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: true;
  /** The source of each entry, or a document. */
  readonly exports?: Names;
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, string | Names>> };
  readonly bin?: Names;
  readonly dependencies?: Names;
  readonly peerDependencies?: Names;
  readonly peerDependenciesMeta?: Names;
}

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

/** The source of each entry by its name: `index`, `express`, …; those of a published package that users import. */
export function entriesOf({ manifest }: Package): Names {
  const { exports = {}, publishConfig, bin = {} } = manifest;
  const entries = Object.entries(exports)
    .filter(
      ([path, source]) => source.endsWith(".ts") && path in (publishConfig?.exports ?? exports),
    )
    .map(([path, source]) => [path === "." ? "index" : path.slice(2), source] as const);
  const commands = Object.keys(bin).map(() => ["bin", "./src/bin.ts"] as const);
  return Object.fromEntries([...entries, ...commands]);
}
