import { describe, expect, it } from "vitest";
import { keywordFaults } from "../../packages/dev/src/generate/keywords.ts";

const faultsOf = (schema: object): readonly string[] =>
  keywordFaults({ path: "a", id: "", title: "A", schema: { ...schema }, source: {} });

const object = (properties: object, more: object = { additionalProperties: false }): object => ({
  type: "object",
  properties,
  ...more,
});
const pattern = (text: string): object => ({ maxLength: 9, pattern: text });

describe("the keyword subset", () => {
  it("rejects everything else", () => {
    for (const [what, schema] of [
      ["code for the type printer", { tsType: "require('child_process')" }],
      ["a condition", { if: {} }],
      ["patternProperties", { patternProperties: {} }],
      ["a keyword in a member", object({ a: { $defs: {} } })],
      ["a keyword in an item", { type: "array", maxItems: 1, items: { contains: {} } }],
      ["a keyword in a kind", { oneOf: [{ not: {} }] }],
      ["an open object", object({ a: {} }, {})],
      ["a member that every object has", object({ toString: {} })],
      ["an unbounded array", { type: "array" }],
      ["a $ref to the network", { $ref: "https://elsewhere.example/a.json" }],
      ["a $ref out of the folder", { $ref: "../../../a.json" }],
      ["a format without a meaning", { format: "email" }],
      ["a pattern without a bound", { pattern: "^a$" }],
      ["a pattern that backtracks", pattern("^(a+)+$")],
      ["a pattern whose separator is in its class", pattern("^(/[/a]+)*$")],
      ["a pattern that is not anchored", pattern("a")],
      ["a repeated group with an optional end", pattern("^((a+)b?)+$")],
      ["groups that do not capture", pattern("^(?:(?:a*))*$")],
      ["alternatives that overlap", pattern("^(a|a)*$")],
      ["a counted group", pattern("^(a?){40}$")],
      ["adjacent repeats", pattern("^a*a*b$")],
      ["a lookahead", pattern("^(?=a)a$")],
      ["a back reference", pattern("^(a)\\1$")],
      ["a map whose values have a schema", { additionalProperties: { tsType: "evil" } }],
    ] as const)
      expect([what, faultsOf(schema).length]).toEqual([what, 1]);
  });

  it.each(["^(/[a-z]+)*$", "^[A-Za-z0-9_-]+$", "^[0-2][0-9]:[0-5][0-9]$", "^[^\\u0000-\\u001F]+$"])(
    "accepts the pattern %s",
    (text) => expect(faultsOf(pattern(text))).toEqual([]),
  );
});
