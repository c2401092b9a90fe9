import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { boundaries } from "../src/derive/boundary.ts";
import { coverage, pointsOf } from "../src/derive/coverage.ts";
import { examples } from "../src/derive/example.ts";
import { negatives } from "../src/derive/negative.ts";
import { OutsideSubsetError } from "../src/derive/resolve.ts";
import { schemaSet } from "../src/derive/schema-set.ts";
import type { LocatedSchema } from "../src/derive/schema.ts";
import { refusals, standard } from "./oracle.ts";

const documents = standard.paths.map((path) => [path, standard.document(path)] as const);
const examplesOf = (at: LocatedSchema): readonly unknown[] => [
  ...examples(at, { optional: "present" }),
  ...examples(at, { optional: "absent" }),
];
const alone = (schema: object): LocatedSchema =>
  schemaSet({ "one.schema.json": schema }).document("one.schema.json");

describe.each(documents)("what is derived from %s", (_path, at) => {
  it("generates values that the oracle takes", () => {
    // 10,000 in the slow lane.
    fc.assert(
      fc.property(arbitrary(at), (value) => {
        expect(refusals(at, value)).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it("has examples that the oracle takes, equal at every call", () => {
    const made = examplesOf(at);
    expect(made.flatMap((value) => refusals(at, value))).toEqual([]);
    expect(examplesOf(at)).toEqual(made);
  });

  it("has bounds that the oracle takes", () => {
    const bounds = examplesOf(at).flatMap((value) => boundaries(at, value));
    expect(
      bounds.filter(({ value }) => refusals(at, value).length > 0).map(({ point }) => point),
    ).toEqual([]);
  });

  it("breaks a keyword in each negative, and the oracle says so, and leaves none out", () => {
    const broken = examplesOf(at).flatMap((value) => negatives(at, value));
    const judged = broken.map((one) => ({ ...one, said: refusals(at, one.value) }));
    expect(judged.filter(({ said }) => said.length === 0).map(({ point }) => point)).toEqual([]);
    // A union refuses as a whole: there the oracle does not say which keyword it was.
    const hasUnion = pointsOf(at).some((point) => point.includes("oneOf"));
    const mislabelled = judged.filter(({ keyword, pointer, said }) => {
      const parent = pointer.slice(0, pointer.lastIndexOf("/"));
      const isParents = keyword === "required" || keyword === "additionalProperties";
      return !said.includes(`${isParents ? parent : pointer} ${keyword}`);
    });
    expect(hasUnion ? [] : mislabelled.map(({ point }) => point)).toEqual([]);
    expect(coverage(at, broken).uncovered).toEqual([]);
  });
});

describe("derivation", () => {
  it.each([
    ["a keyword outside the subset", { type: "object", patternProperties: {} }],
    ["a keyword that only looks like one of ours", { type: "string", "x-opened": true }],
    ["a format without a meaning", { type: "string", format: "email" }],
    ["a judging keyword beside $ref", { $ref: "one.schema.json", minLength: 3 }],
    ["a $ref into a document", { $ref: "one.schema.json#/oneOf/0" }],
    ["a schema that says nothing", { description: "anything" }],
  ])("refuses %s with its place", (_what, schema) => {
    expect(() => arbitrary(alone(schema))).toThrow(OutsideSubsetError);
    expect(() => arbitrary(alone(schema))).toThrow(/^one\.schema\.json#/);
  });

  it("refuses a keyword outside the subset in a member, for negatives too", () => {
    const at = alone({
      type: "object",
      additionalProperties: false,
      properties: { a: { type: "string", not: {} } },
    });
    expect(() => negatives(at, { a: "x" })).toThrow(/#\/properties\/a: the keyword not/);
  });

  it("breaks one keyword at a time where that can be done", () => {
    const at = alone({
      type: "string",
      minLength: 2,
      maxLength: 5,
      pattern: "^[a-z]+$",
    });
    const broken = negatives(at, "abc");
    expect(broken.map(({ keyword, value }) => [keyword, value])).toEqual([
      ["type", 42],
      ["minLength", "a"],
      ["maxLength", "abcaaa"],
      ["pattern", "ab\u0000"],
    ]);
  });

  it("names the member in a negative's pointer and the schema's place in its point", () => {
    const at = alone({
      type: "object",
      additionalProperties: false,
      required: ["a/b"],
      properties: { "a/b": { type: "array", maxItems: 1, items: { type: "boolean" } } },
    });
    expect(
      negatives(at, { "a/b": [true] }).map(({ pointer, point, value }) => [pointer, point, value]),
    ).toEqual([
      ["", "one.schema.json#/type", 42],
      ["/a~1b", "one.schema.json#/required/a/b", {}],
      [
        "/unknownMember",
        "one.schema.json#/additionalProperties",
        { "a/b": [true], unknownMember: "unknown" },
      ],
      ["/a~1b", "one.schema.json#/properties/a~1b/type", { "a/b": 42 }],
      ["/a~1b", "one.schema.json#/properties/a~1b/maxItems", { "a/b": [true, true] }],
      ["/a~1b/0", "one.schema.json#/properties/a~1b/items/type", { "a/b": [42] }],
    ]);
  });

  it("refuses to break a value that the schema does not take", () => {
    expect(() => negatives(alone({ type: "boolean" }), "x")).toThrow(TypeError);
  });

  it("moves a place to each bound, and leaves out each member that may be absent", () => {
    const at = alone({
      type: "object",
      additionalProperties: false,
      required: ["n"],
      properties: {
        n: { type: "number", minimum: 0.01, maximum: 9.99, multipleOf: 0.01 },
        t: { type: ["string", "null"], maxLength: 3 },
      },
    });
    expect(boundaries(at, { n: 1, t: "ab" }).map(({ keyword, value }) => [keyword, value])).toEqual(
      [
        ["properties", { n: 1 }],
        ["minimum", { n: 0.01, t: "ab" }],
        ["maximum", { n: 9.99, t: "ab" }],
        ["multipleOf", { n: 0.02, t: "ab" }],
        ["maxLength", { n: 1, t: "aba" }],
        ["type", { n: 1, t: null }],
      ],
    );
  });

  it("reports the keywords that no case is about", () => {
    const at = alone({ type: "string", maxLength: 3, enum: ["a"] });
    const cases = negatives(at, "a").filter(({ keyword }) => keyword !== "enum");
    expect(coverage(at, cases)).toEqual({
      covered: ["one.schema.json#/type", "one.schema.json#/maxLength"],
      uncovered: ["one.schema.json#/enum"],
    });
  });

  it("counts the keywords of every kind of a union, of items and of what is referred to", () => {
    const refund = standard.document("resources/refund.schema.json");
    const initiated = { paymentId: "ref_1", paymentStatus: "PENDING", clientReferenceId: null };
    const { uncovered } = coverage(refund, negatives(refund, initiated));
    expect(uncovered).toContain("resources/refund.schema.json#/oneOf/1/required/errorDetails");
    expect(uncovered).toContain("resources/error-code.schema.json#/enum");
    const details = standard.document("resources/subscription-details.schema.json");
    expect(pointsOf(details)).toContain(
      "resources/subscription-details.schema.json#/oneOf/1/properties/details/items/enum",
    );
  });

  it("generates amounts in whole cents, to both ends", () => {
    const at = alone({ type: "number", minimum: 0.01, maximum: 0.03, multipleOf: 0.01 });
    const values = fc.sample(arbitrary(at), { numRuns: 100, seed: 1 });
    expect(new Set(values)).toEqual(new Set([0.01, 0.02, 0.03]));
  });

  it("shrinks to the least of what the schema takes", () => {
    const at = standard.document("resources/refund-request.schema.json");
    const { counterexample } = fc.check(
      fc.property(arbitrary(at), () => false),
      { seed: 1 },
    );
    expect(counterexample).toEqual([
      {
        paymentId: expect.stringMatching(/^.$/) as unknown,
        amount: { currency: "USD", value: 0.01 },
        requestKey: expect.stringMatching(/^.$/) as unknown,
      },
    ]);
  });
});
