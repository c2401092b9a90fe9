import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const file = new URL("../../package.json", import.meta.url);
const manifest = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, object>>;

it("A30: an installed receiver adds one package with built files and its changelog only, without dependencies and scripts, and its peers are optional", () => {
  for (const name of ["dependencies", "optionalDependencies", "bundledDependencies", "scripts"])
    expect(manifest).not.toHaveProperty(name);
  const peers = Object.keys(manifest["peerDependencies"] ?? {});
  const optional = peers.map((peer) => [peer, { optional: true }]);
  expect(manifest["peerDependenciesMeta"]).toEqual(Object.fromEntries(optional));
  expect(manifest["files"]).toEqual(["lib", "CHANGELOG.md"]);
});
