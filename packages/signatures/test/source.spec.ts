import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL("../src/", import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  text: withoutCommentsAndTexts(readFileSync(new URL(name, folder), "utf8")),
}));

/** Code alone: what stands in comments, texts and regular expressions compares nothing. */
function withoutCommentsAndTexts(source: string): string {
  return source
    .replaceAll(/\/\*.*?\*\//gs, "")
    .replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"/g, '""')
    .replaceAll(/\/\^.*?\$?\/(?=[;.,)])/g, "/x/");
}

/** Each comparison as `left operator right`, with the operands' last names. */
function comparisons(text: string): readonly string[] {
  const operand = String.raw`[\w.?()[\]"]+`;
  const pattern = new RegExp(`(${operand})\\s*([!=]==?)\\s*(${operand})`, "g");
  return [...text.matchAll(pattern)].map(([whole]) => whole);
}

function holding(part: string): readonly string[] {
  return files.filter(({ text }) => text.includes(part)).map(({ name }) => name);
}

// The mutation runner rewrites the sources in place: what it adds is not the package's.
const isInstrumented = files.some(({ text }) => text.includes("stryMutAct_"));

describe.skipIf(isInstrumented)("the sources", () => {
  it("compare no digest with an operator", () => {
    const all = files.flatMap(({ name, text }) =>
      comparisons(text).map((comparison) => `${name}: ${comparison}`),
    );
    const ofDigests = all.filter((one) =>
      /\b(?:digest|hmac|mac|expected)\b.*[!=]=|[!=]=.*\b(?:digest|hmac|mac|expected)\b/i.test(
        one.replace(/^[^:]*/, ""),
      ),
    );

    expect(ofDigests).toEqual([]);
    expect(all.length).toBeGreaterThan(50);
  });

  it.each([".equals(", ".compare(", ".localeCompare(", "Object.is("])(
    "never call %s, which stops at the first difference",
    (method) => {
      expect(holding(method)).toEqual([]);
    },
  );

  it("take digests in few places, and compare them in constant time", () => {
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

  it("import their own files and node:crypto alone", () => {
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
