import { globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { describe, expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);
const bundledSources = ["packages/receiver", "packages/signatures", "packages/rules", "schemas"];

interface Manifest {
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: unknown;
  readonly bundledDependencies?: unknown;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifest = JSON.parse(
  readFileSync(new URL("packages/receiver/package.json", root), "utf8"),
) as Manifest;

describe("A30: an installed receiver", () => {
  it("adds one package without dependencies, and its peers are optional", () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.optionalDependencies).toBeUndefined();
    expect(manifest.bundledDependencies).toBeUndefined();
    for (const peer of Object.keys(manifest.peerDependencies ?? {}))
      expect(manifest.peerDependenciesMeta?.[peer]?.optional).toBe(true);
  });

  it("runs no script when it is installed, and contains built files and guides only", () => {
    expect(manifest.scripts).toBeUndefined();
    expect(manifest.files).toEqual(["lib", "docs"]);
  });

  it("imports only Node's modules, bundled packages and optional peers", () => {
    const peers = Object.keys(manifest.peerDependencies ?? {});
    const bundled = ["@countersign/rules", "@countersign/schemas", "@countersign/signatures"];
    const node = builtinModules.map((name) => `node:${name}`);
    const allowed = new Set([...bundled, ...peers, ...node, "node:sqlite"]);
    // At the start of a line or inside a call: not in a comment. Type imports are erased.
    const importing =
      /^(?:import|export|\})(?! type\b) ?[^;="]*? from "([^".][^"]*)"|^import "([^".][^"]*)"|\b(?:import|require)\("([^".][^"]*)"\)/gm;
    const imported = bundledSources.flatMap((path) =>
      globSync("**/*.ts", { cwd: new URL(`${path}/src/`, root) }).flatMap((name) => {
        const text = readFileSync(new URL(`${path}/src/${name}`, root), "utf8");
        return Array.from(
          text.matchAll(importing),
          ([, from, bare, called]) => from ?? bare ?? called ?? "",
        );
      }),
    );
    const packageOf = (name: string): string =>
      name.startsWith("node:") ? name : name.split("/", name.startsWith("@") ? 2 : 1).join("/");
    expect(imported).toEqual(expect.arrayContaining(["@countersign/rules", "node:crypto"]));
    expect(imported.filter((name) => !allowed.has(packageOf(name)))).toEqual([]);
  });
});
