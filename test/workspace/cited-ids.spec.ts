import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string): string => readFileSync(root + file, "utf8");

const GENERATED =
  /node_modules|\/(?:dist|lib|generated|output|pacts|documents|reader)$|docs\/reference$/;
const texts = globSync(
  "{*,{docs,examples,contracts,schemas,test,packages,scripts,action}/**/*}.{md,ts,tsx,mjs,json,jsonl,sql}",
  { cwd: root, exclude: (path) => GENERATED.test(path) },
).map((file) => ({ file, text: read(file) }));

const isTest = (file: string): boolean => /^(?:test|(?:packages\/)?[\w-]+\/test)\//.test(file);

/** Returns `FILE: ID` of every id that `find` reads in a text and `known` lacks. */
function unknown(
  find: (text: string, file: string) => readonly string[],
  known: ReadonlySet<string>,
): readonly string[] {
  const cited = texts.flatMap(({ file, text }) => find(text, file).map((id) => ({ file, id })));
  // A pattern that matches nothing would find nothing wrong.
  expect(cited.length).toBeGreaterThan(50);
  const missing = cited.filter(({ id }) => !known.has(id)).map(({ file, id }) => `${file}: ${id}`);
  return [...new Set(missing)];
}

const all = requirements();

/** The ids that begin the lines of docs/threats.md, each with a sentence. */
const threats: ReadonlySet<string> = new Set(
  [...read("docs/threats.md").matchAll(/^- \*\*([\w-]+)\*\*: .{20,}\.$/gm)].map(
    ([, id = ""]) => id,
  ),
);

/** The sections of docs/interface.md with a text, below them or below their subsections. */
const sections: ReadonlySet<string> = new Set(
  read("docs/interface.md")
    .split(/^(?=## S \d)/m)
    .flatMap((part) => [part, ...part.split(/^(?=### S \d)/m)])
    .flatMap((part) => /^##+ S ([\d.]+) [^]*\n\n[^#]/.exec(part)?.[1] ?? []),
);

/** Reads the sections of `S 4.1`, `S 4.3, 4.4`, `interface sections 2.1 and 8`, and `S 6, rules 4 and 5`. */
function sectionsIn(text: string): readonly string[] {
  const lists =
    /(?:(?<![\w-])S|[Ii]nterface sections?) (\d(?:\.\d+)*(?:(?:, | and | to )\d(?:\.\d+)*(?!\w))*)(?:, rules? (\d(?: and \d)?))?/g;
  return [...text.matchAll(lists)].flatMap(([, list = "", rules = ""]) => {
    const ids = list.match(/\d(?:\.\d+)*/g) ?? [];
    // The rules of a section without subsections are its subsections here; those of S 4.1 are in its text.
    const numbers = (ids[0] ?? "").includes(".") ? [] : (rules.match(/\d/g) ?? []);
    return [...ids, ...numbers.map((number) => `${String(ids[0])}.${number}`)];
  });
}

describe("an id in a source, a test or a document", () => {
  it("has its section in the interface if it is S and a number", () => {
    expect(unknown(sectionsIn, sections)).toEqual([]);
  });

  it("has its sentence in the threats and traps if it is A, B, C or T and a number", () => {
    // C0 is a set of control characters, as is C1.
    const find = (text: string): string[] =>
      text.match(/(?<![\w%#&+/])(?:[AB]\d{1,2}|C[1-9]\d?|T-\d{2})(?![\w+/=])/g) ?? [];
    expect(unknown(find, threats)).toEqual([]);
  });

  it("has its requirement if it is R or P and a name, in a test's title in brackets", () => {
    // Tests invent other ids; P-256 is a curve.
    const find = (text: string, file: string): string[] =>
      text.match(
        isTest(file)
          ? /(?<=\[)[PR](?:-[A-Z0-9]+)+(?=\])/g
          : /\b[PR]-[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*\b/g,
      ) ?? [];
    expect(unknown(find, new Set(all.map(({ id }) => id)))).toEqual([]);
  });

  it("is in the title of a test for each threat, trap, and requirement without a check", () => {
    const titles = texts
      .filter(({ file }) => isTest(file))
      .flatMap(({ text }) => text.match(/["'`][^"'`\n]*["'`]/g) ?? []);
    const find = /\b(?:[ABC]\d+|T-\d\d)\b|(?<=\[)[PR](?:-[A-Z0-9]+)+(?=\])/g;
    const tested = new Set(titles.flatMap((title) => title.match(find) ?? []));
    const unchecked = all.filter(({ checks }) => checks.length === 0).map(({ id }) => id);
    expect([...threats, ...unchecked].filter((id) => !tested.has(id))).toEqual([]);
  });
});
