import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly os?: string[]; readonly cpu?: string[] }>>;
  readonly snapshots: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

const text = readFileSync(new URL("../../pnpm-lock.yaml", import.meta.url), "utf8");
// The file's shape is pnpm's, version 9.
const lockfile = parse(text) as Lockfile;

const platforms = [
  { os: "linux", cpu: "x64" },
  { os: "linux", cpu: "arm64" },
  { os: "darwin", cpu: "x64" },
  { os: "darwin", cpu: "arm64" },
  { os: "win32", cpu: "x64" },
];

/** Optional binaries by design on only one system. */
const elsewhereUnneeded = new Set(["fsevents"]);

/** Each package that ships its binary in separate packages, one per platform. */
const native = Object.entries(lockfile.snapshots).flatMap(
  ([name, { optionalDependencies = {} }]) => {
    const binaries = Object.entries(optionalDependencies)
      .filter(([binary]) => !elsewhereUnneeded.has(binary))
      .map(([binary, version]) => lockfile.packages[`${binary}@${version}`])
      .filter((entry) => entry?.os !== undefined && entry.cpu !== undefined);
    return binaries.length === 0 ? [] : [{ name, binaries }];
  },
);

describe("the lockfile", () => {
  it("contains the tools that ship binaries", () => {
    const names = native.map(({ name }) => name.replace(/(?<=.)@.*/, ""));
    expect(names).toEqual(expect.arrayContaining(["esbuild", "oxfmt", "oxlint", "typescript"]));
  });

  it.each(platforms)("has the binaries of every tool for $os-$cpu", ({ os, cpu }) => {
    const missing = native
      .filter(
        ({ binaries }) =>
          !binaries.some((binary) => binary?.os?.includes(os) && binary.cpu?.includes(cpu)),
      )
      .map(({ name }) => name);
    expect(missing).toEqual([]);
  });

  it("contains no registry address, so that any registry serves", () => {
    expect(text).not.toMatch(/https?:|tarball|registry\./);
  });
});
