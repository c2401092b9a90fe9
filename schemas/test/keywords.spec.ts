import { describe, expect, it } from "vitest";
import { keywordFaults } from "../../packages/dev/src/generate/keywords.ts";

const faultsOf = (schema: object): readonly string[] =>
  keywordFaults({ path: "a", id: "", title: "A", schema: { ...schema } });

describe("the check of the keyword subset", () => {
  it.each([
    ["code for the type printer", { tsType: "require('child_process')" }],
    ["names for the type printer", { tsEnumNames: ["a"] }],
    ["a condition", { if: {} }],
    ["allOf", { allOf: [] }],
    ["patternProperties", { patternProperties: {} }],
    [
      "a keyword in a member",
      { type: "object", additionalProperties: false, properties: { a: { $defs: {} } } },
    ],
    ["a keyword in an item", { type: "array", maxItems: 1, items: { contains: {} } }],
    ["a keyword in a kind", { oneOf: [{ not: {} }] }],
    ["an open object", { type: "object", properties: { a: {} } }],
    ["an unbounded array", { type: "array" }],
    ["a $ref to the network", { $ref: "https://elsewhere.example/a.json" }],
    ["a $ref to a file", { $ref: "file:///etc/passwd" }],
    ["a $ref out of the folder", { $ref: "../../../a.json" }],
    ["a format without a meaning", { format: "email" }],
    ["a pattern without a bound", { pattern: "^a$" }],
    ["a pattern that backtracks", { maxLength: 9, pattern: "^(a+)+$" }],
    ["a pattern whose separator is in its class", { maxLength: 9, pattern: "^(/[/a]+)*$" }],
    ["a pattern that is not anchored", { maxLength: 9, pattern: "a" }],
  ])("refuses %s", (_what, schema) => {
    expect(faultsOf(schema)).toHaveLength(1);
  });

  it("takes a pattern whose rounds begin with a separator", () => {
    expect(faultsOf({ maxLength: 9, pattern: "^(/[a-z]+)*$" })).toEqual([]);
  });
});
