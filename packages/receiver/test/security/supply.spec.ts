import { readdirSync, readFileSync } from "node:fs";
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

  it("imports Node's own modules, bundled packages and optional peers", () => {
    const peers = Object.keys(manifest.peerDependencies ?? {});
    const bundled = ["@countersign/rules", "@countersign/schemas", "@countersign/signatures"];
    const allowed = new Set([
      ...bundled,
      ...peers,
      ...builtinModules.map((name) => `node:${name}`),
    ]);
    const imported = bundledSources.flatMap((path) => {
      const folder = new URL(`${path}/src/`, root);
      return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .flatMap((name) =>
          // At the start of a line or inside a call: not in a comment. Types are gone when it runs.
          Array.from(
            readFileSync(new URL(name, folder), "utf8").matchAll(
              /^(?:import|export|\})(?! type\b) ?[^;="]*? from "([^".][^"]*)"|^import "([^".][^"]*)"|\b(?:import|require)\("([^".][^"]*)"\)/gm,
            ),
            ([, from, bare, called]) => from ?? bare ?? called ?? "",
          ),
        );
    });
    const packageOf = (specifier: string): string =>
      specifier.startsWith("node:")
        ? specifier
        : specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

    expect(imported).toEqual(expect.arrayContaining(["@countersign/rules", "node:crypto"]));
    expect(imported.filter((one) => !allowed.has(packageOf(one)) && one !== "node:sqlite")).toEqual(
      [],
    );
  });
});
