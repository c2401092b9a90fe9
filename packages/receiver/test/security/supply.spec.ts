import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { describe, expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);
const installed = ["packages/receiver", "packages/signatures", "packages/rules", "schemas"];

interface Manifest {
  readonly name: string;
  readonly files?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: unknown;
  readonly bundledDependencies?: unknown;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const manifests = installed.map(
  (path) => JSON.parse(readFileSync(new URL(`${path}/package.json`, root), "utf8")) as Manifest,
);
const names = manifests.map(({ name }) => name);

describe("A30: what an installed receiver brings with it", () => {
  it("is itself and three packages of its own, and nothing that installs itself", () => {
    expect(names.toSorted()).toEqual([
      "@countersign/receiver",
      "@countersign/rules",
      "@countersign/schemas",
      "@countersign/signatures",
    ]);
    for (const manifest of manifests) {
      expect(
        Object.keys(manifest.dependencies ?? {}).filter((one) => !names.includes(one)),
      ).toEqual([]);
      expect(manifest.optionalDependencies).toBeUndefined();
      expect(manifest.bundledDependencies).toBeUndefined();
      for (const peer of Object.keys(manifest.peerDependencies ?? {}))
        expect(manifest.peerDependenciesMeta?.[peer]?.optional).toBe(true);
    }
  });

  it("runs nothing when it is installed, and holds its built files alone", () => {
    for (const { scripts = {}, files = [] } of manifests) {
      for (const name of ["preinstall", "install", "postinstall", "prepare", "preprepare"])
        expect(scripts[name]).toBeUndefined();
      expect(files[0]).toBe("lib");
      expect(files.filter((one) => !/^lib$|^documents$/.test(one))).toEqual([]);
    }
  });

  it("imports Node's own modules, those packages and its optional peers", () => {
    const peers = manifests.flatMap(({ peerDependencies = {} }) => Object.keys(peerDependencies));
    const allowed = new Set([...names, ...peers, ...builtinModules.map((name) => `node:${name}`)]);
    const imported = installed.flatMap((path) => {
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
