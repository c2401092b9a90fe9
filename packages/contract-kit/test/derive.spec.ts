import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { Ajv2020 } from "ajv/dist/2020.js";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { boundaries, examples, negatives } from "../src/derive/cases.ts";
import { example } from "../src/derive/example.ts";
import { inside, type LocatedSchema, resolve } from "../src/derive/schema.ts";
import { partsOf } from "../src/documents/json-schema.ts";
import { alone, among, refusals, standard, standardFiles } from "./oracle.ts";

// The union of all events is as good as they are, and takes longest.
const documents = standardFiles
  .filter(([name]) => name !== "event")
  .map(([name]) => [name, standard(name)] as const);

/** The schema, and all that are in it or that it refers to, each once. */
function reachable(located: LocatedSchema): readonly LocatedSchema[] {
  const reached = new Map([[resolve(located).place, resolve(located)]]);
  for (const at of reached.values())
    for (const [steps, part] of partsOf(at.schema)) {
      const inner = resolve(inside(at, part, ...steps));
      if (!reached.has(inner.place)) reached.set(inner.place, inner);
    }
  return [...reached.values()];
}

/** The places of all keywords that can refuse a value. */
const pointsOf = (at: LocatedSchema): readonly string[] =>
  reachable(at).flatMap(({ place, schema }) => {
    const { required = [], additionalProperties, oneOf } = schema;
    // A text of no characters, and a list without items, break nothing.
    const isJudging = (keyword: string): boolean =>
      JUDGING.includes(keyword) &&
      !(keyword === "type" && oneOf !== undefined) &&
      !(["minLength", "minItems"].includes(keyword) && schema[keyword as "minItems"] === 0);
    return [
      ...Object.keys(schema).filter(isJudging),
      ...required.map((name) => `required/${name}`),
      ...(additionalProperties === false ? ["additionalProperties"] : []),
    ].map((point) => `${place}/${point}`);
  });
const JUDGING =
  "type const enum minLength maxLength pattern format minimum maximum multipleOf minItems maxItems oneOf".split(
    " ",
  );
const examplesOf = (at: LocatedSchema): readonly unknown[] => [
  ...examples(at, { optional: "present" }),
  ...examples(at, { optional: "absent" }),
];
const closed = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

describe.each(documents)("derivation from %s", (_path, at) => {
  it("generates values, examples and bounds that Ajv accepts", () => {
    fc.assert(
      fc.property(arbitrary(at), (value) => {
        expect(refusals(at, value)).toEqual([]);
      }),
      { numRuns: 20 },
    );
    const made = examplesOf(at);
    const bounds = made.flatMap((value) => boundaries(at, value));
    const values = [...made, ...bounds.map(({ value }) => value)];
    expect(values.filter((value) => refusals(at, value).length > 0)).toEqual([]);
    expect(examplesOf(at)).toEqual(made);
  });

  it("breaks every keyword in a negative that Ajv refuses for it", () => {
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
    const covered = new Set(broken.map(({ point }) => point));
    expect(pointsOf(at).filter((point) => !covered.has(point))).toEqual([]);
  });
});

const number = { type: "number", minimum: 0.01, maximum: 9.99, multipleOf: 0.01 };

describe("derivation", () => {
  it.each([
    ["keywords that it does not know", { type: "string", "x-form": 1, format: "iban" }],
    ["not", { type: "integer", minimum: 0, maximum: 9, not: { const: 3 } }],
    ["if", { type: "integer", maximum: 9, minimum: 0, if: { maximum: 5 }, else: { const: 7 } }],
    ["similar kinds of oneOf", { oneOf: [{ type: "integer" }, { type: "number", maximum: 3 }] }],
    [
      "a type next to a union",
      { type: "string", anyOf: [{ type: "integer" }, { type: "string" }] },
    ],
    ["exclusive bounds", { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 3 }],
    ["values of unlisted members", { type: "object", additionalProperties: { type: "boolean" } }],
    [
      "members next to a union",
      { ...closed({ a: { const: 1 }, b: {} }, ["a"]), anyOf: [{ required: ["b"] }] },
    ],
    ["a pattern that only works without the flag u", { type: "string", pattern: "^a\\-b$" }],
    [
      "formats",
      closed({ a: { type: "string", format: "uuid" }, b: { type: "string", format: "date" } }),
    ],
  ])("makes values of a schema with %s", (_what, schema) => {
    const at = alone(schema);
    const judge = new Ajv2020({
      strict: false,
      logger: false,
      validateFormats: false,
      unicodeRegExp: false,
    });
    const validate = judge.compile(schema);
    const values = [...examplesOf(at), ...fc.sample(arbitrary(at), { seed: 1, numRuns: 100 })];
    expect(values.filter((value) => !validate(value))).toEqual([]);
  });

  it("makes finite values of schemas that contain each other", () => {
    const at = among(
      {
        "a.json": { properties: { b: { $ref: "b.json" } }, required: ["b"], type: "object" },
        "b.json": { properties: { all: { items: { $ref: "a.json" } } }, type: "object" },
      },
      "a",
    );
    expect(example(at, { optional: "present" })).toEqual({ b: { all: [] } });
    expect(fc.sample(arbitrary(at), { seed: 1, numRuns: 5 })).toHaveLength(5);
  });

  it("makes an example of the first kind whose value is not of another kind too", () => {
    const kinds = ["string", "string", "integer"].map((type) => closed({ a: { type } }, []));
    const at = alone(closed({ x: { oneOf: kinds } }, []));
    expect(example(at, { optional: "present" })).toEqual({ x: { a: 1 } });
  });

  it.each([
    ["oneOf", { oneOf: [{ required: ["a"] }, { required: ["b"] }] }, { x: { a: "example" } }],
    ["not", { not: { required: ["a", "b"] } }, { x: {} }],
  ])("leaves out optional members that %s does not accept together", (_, keyword, value) => {
    const [a, b] = [{ type: "string" }, { type: "string" }];
    const at = alone(closed({ x: { ...closed({ a, b }, []), ...keyword } }, []));
    expect(example(at, { optional: "present" })).toEqual(value);
  });

  it("makes an example of the kind that the keywords next to anyOf accept", () => {
    const kinds = [{ not: { required: ["c"] } }, { required: ["c"] }];
    const sole = { allOf: [{ anyOf: [{ required: ["b"] }, { required: ["c"] }] }] };
    const text = { type: "string" };
    const at = alone({ ...closed({ b: text, c: text }, []), anyOf: kinds, ...sole });
    expect(example(at, { optional: "absent" })).toEqual({ c: "example" });
  });

  it("makes a map that may not be empty of an example of its values", () => {
    const item = closed({ a: { type: "string" } }, ["a"]);
    const at = alone({ type: "object", minProperties: 2, additionalProperties: item });
    const value = { example: { a: "example" }, example2: { a: "example" } };
    expect(example(at, { optional: "present" })).toEqual(value);
  });

  it("makes an example of at most some megabytes of schemas with millions of members", () => {
    const level = (index: number): object => ({ $ref: `${index}.json` });
    const files = Array.from({ length: 12 }, (_, index): [string, object] => {
      const inner = index === 11 ? { type: "string" } : level(index + 1);
      const names = ["a", "b", "c", "d"].map((name) => [name, inner]);
      return [`${index}.json`, { type: "object", properties: Object.fromEntries(names) as object }];
    });
    const made = JSON.stringify(
      example(among(Object.fromEntries(files), "0"), { optional: "present" }),
    );
    expect([made.length > 100_000, made.length < 5_000_000]).toEqual([true, true]);
  });

  it("searches once for the value of a schema that an example has in several places", () => {
    const at = among(
      {
        "all.json": closed({ a: { $ref: "some.json" }, b: { $ref: "some.json" } }),
        "some.json": { type: "object", minProperties: 1 },
      },
      "all",
    );
    const { a, b } = example(at, { optional: "present" }) as { a?: object; b?: object };
    expect(a).toBeTypeOf("object");
    expect(a).toBe(b);
  });

  it("makes a required member that has no schema", () => {
    const at = alone({ type: "object", properties: { a: { type: "null" } }, required: ["b"] });
    expect(example(at, { optional: "absent" })).toEqual({ b: "example" });
  });

  it("leaves out optional members, and empties lists, of schemas that accept nothing", () => {
    const none = { type: "integer", minimum: 3, maximum: 2 };
    const at = alone(closed({ a: none, b: { type: "array", items: { not: {} } } }, ["b"]));
    expect(example(at, { optional: "present" })).toEqual({ b: [] });
  });

  it.each([
    [
      "that contains itself without an end",
      {
        $ref: "#/$defs/a",
        $defs: { a: { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/a" } } } },
      },
    ],
    ["that accepts nothing", { type: "integer", minimum: 3, maximum: 2 }],
    ["with a text that memory cannot hold", { type: "string", minLength: 1e9 }],
  ])("rejects a schema %s", (_what, schema) => {
    const code = expect.objectContaining({ code: "CS_DOCUMENT_NO_VALUE" }) as Error;
    expect(() => arbitrary(alone(schema))).toThrow(code);
    expect(() => examples(alone(schema), { optional: "absent" })).toThrow(code);
  });

  it.each([{ dependentRequired: 5 }, { dependentRequired: { a: 5 } }, { multipleOf: "x" }])(
    "rejects a schema with a keyword of another type: %j",
    (keyword) => {
      const at = alone({ type: "object", properties: { x: keyword }, required: ["x"] });
      const code = expect.objectContaining({ code: "CS_DOCUMENT_INVALID" }) as Error;
      expect(() => example(at, { optional: "present" })).toThrow(code);
    },
  );

  it("rejects a value that is invalid itself", () => {
    expect(() => negatives(alone({ type: "boolean" }), "x")).toThrow(TypeError);
  });

  it("breaks one keyword at a time", () => {
    const at = alone({ type: "string", minLength: 2, maxLength: 5, pattern: "^[a-z]+$" });
    expect(negatives(at, "abc").map(({ keyword, value }) => [keyword, value])).toEqual([
      ["type", 42],
      ["minLength", "a"],
      ["maxLength", "abcaaa"],
      ["pattern", "ab\u0000"],
    ]);
    const one = alone(closed({ "a/b": { type: "boolean" } }));
    const pointers = negatives(one, { "a/b": true }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(["", "/unknownMember", "/a~1b"]);
  });

  it("moves a value to each bound, and omits each optional member", () => {
    const at = alone(closed({ n: number, t: { type: ["string", "null"], maxLength: 3 } }, ["n"]));
    const made = boundaries(at, { n: 1, t: "ab" });
    expect(made.map(({ keyword, value }) => [keyword, value])).toEqual([
      ["properties", { n: 1 }],
      ["minimum", { n: 0.01, t: "ab" }],
      ["maximum", { n: 9.99, t: "ab" }],
      ["multipleOf", { n: 0.02, t: "ab" }],
      ["type", { n: 1, t: null }],
      ["maxLength", { n: 1, t: "aba" }],
    ]);
  });

  it("derives no text and no list of a size that memory cannot hold", () => {
    const text = alone({ type: "string", maxLength: 1e9 });
    const list = alone({ type: "array", items: { type: "null" }, maxItems: 1e9 });
    for (const derive of [boundaries, negatives]) {
      expect(derive(text, "a").map(({ keyword }) => keyword)).not.toContain("maxLength");
      expect(derive(list, [null]).map(({ keyword }) => keyword)).not.toContain("maxItems");
    }
  });

  it("generates amounts in whole cents, to both ends, and shrinks to the smallest value", () => {
    const values = fc.sample(arbitrary(alone({ ...number, maximum: 0.03 })), {
      numRuns: 50,
      seed: 1,
    });
    expect(new Set(values)).toEqual(new Set([0.01, 0.02, 0.03]));
    const at = standard("refund-request");
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
