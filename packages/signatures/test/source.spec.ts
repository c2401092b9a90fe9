import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL("../src/", import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  text: withoutCommentsAndTexts(readFileSync(new URL(name, folder), "utf8")),
}));

/** Returns the code without comments, texts and regular expressions. */
function withoutCommentsAndTexts(source: string): string {
  return source
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replaceAll(/\/\^.*?\$?\/(?=[;.,)])/g, "/x/");
}

function holding(part: string): readonly string[] {
  return files.filter(({ text }) => text.includes(part)).map(({ name }) => name);
}

// The mutation runner rewrites the sources in place: what it adds is not the package's.
const isInstrumented = files.some(({ text }) => text.includes("stryMutAct_"));

describe.skipIf(isInstrumented)("the sources", () => {
  it("never compare bytes with a method that stops at the first difference", () => {
    for (const method of [".equals(", ".compare(", ".localeCompare(", "Object.is("])
      expect(holding(method)).toEqual([]);
  });

  it("compute digests in few places and compare them in constant time", () => {
    expect(holding("createHmac(")).toEqual(["create-scheme.ts", "explain.ts"]);
    expect(holding("createHash(")).toEqual(["keys.ts"]);
    expect(holding(".digest(").toSorted()).toEqual(["create-scheme.ts", "explain.ts", "keys.ts"]);
    expect(holding("timingSafeEqual(").toSorted()).toEqual([
      "create-scheme.ts",
      "ed25519.ts",
      "explain.ts",
    ]);
    // A digest is compared by `timingSafeEqual` only, or written into a header.
    const uses = files.flatMap(({ text }) => [...text.matchAll(/.*\bdigestOf\((?!\n).*/g)]);
    const calls = uses.map(([line]) => line.trim()).filter((line) => !line.startsWith("function"));
    expect(calls).toEqual(["const digest = digestOf(object, text);", "? digestOf(object, text)"]);
  });

  it("import only their own files and node:crypto", () => {
    const imports = files.flatMap(({ name }) =>
      [...readFileSync(new URL(name, folder), "utf8").matchAll(/from "([^"]+)"/g)].map(
        ([, from]) => from,
      ),
    );

    expect(imports.filter((from) => !/^\.\/[a-z0-9-]+\.ts$/.test(from ?? ""))).toEqual(
      imports.filter((from) => from === "node:crypto"),
    );
  });

  it("read no clock, no randomness and no environment", () => {
    const impure = /\bDate\b|performance|random|\bprocess\b|setTimeout|fetch\(|console|globalThis/;

    expect(files.filter(({ text }) => impure.test(text)).map(({ name }) => name)).toEqual([]);
  });
});
