import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { boundaries } from "../src/derive/boundary.ts";
import { examples } from "../src/derive/example.ts";
import { accepts } from "../src/derive/faults.ts";
import { OutsideSubsetError } from "../src/derive/resolve.ts";
import { schemaSet, standardSchemas } from "../src/derive/schema-set.ts";
import type { LocatedSchema, Schema, SchemaSet } from "../src/derive/schema.ts";
import { diffSchemas } from "../src/diff/diff-schemas.ts";
import { diffRules, type Change, type RuleId } from "../src/diff/rules.ts";

const paths = {
  request: "resources/order-request.schema.json",
  response: "resources/order-response.schema.json",
  event: "events/order.made.schema.json",
} as const;

const directions = ["request", "response", "event"] as const;

/** One schema in each direction. */
const everywhere = (schema: Schema): SchemaSet =>
  schemaSet(Object.fromEntries(directions.map((one) => [paths[one], schema])));
const changed = (old: Schema, now: Schema): readonly Change[] =>
  diffSchemas(everywhere(old), everywhere(now));

const placesOf = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ place }) => place).toSorted();

const object = (properties: Schema["properties"], more: Schema = {}): Schema => ({
  type: "object",
  additionalProperties: false,
  ...(properties && { properties }),
  ...more,
});
const text: Schema = { type: "string" };
const kind = (tag: string): Schema => object({ type: { const: tag } }, { required: ["type"] });
const union = (tags: readonly string[], tag = "type"): Schema => ({
  type: "object",
  discriminator: { propertyName: tag },
  oneOf: tags.map(kind),
});
const list = (values: readonly string[], isOpen = false): Schema => ({
  type: "string",
  enum: values,
  ...(isOpen && { "x-open": true }),
});

const alone = (schema: Schema): LocatedSchema =>
  schemaSet({ "one.schema.json": schema }).document("one.schema.json");

/** Values that a schema takes, at its bounds and by chance. */
const valuesOf = (schema: Schema): readonly unknown[] => {
  const made = examples(alone(schema), { optional: "present" });
  const bounds = made.flatMap((value) => boundaries(alone(schema), value).map((one) => one.value));
  return [...made, ...bounds, ...fc.sample(arbitrary(alone(schema)), { numRuns: 20, seed: 1 })];
};

/** As readers take a schema: members that were added pass, and values of open lists. */
const readersOf = (schema: Schema): Schema => {
  const { enum: values, ...rest } = schema;
  return {
    ...rest,
    ...(values !== undefined && schema["x-open"] !== true && { enum: values }),
    ...(schema.properties && { additionalProperties: true }),
  };
};

/** What changes by one rule alone, with the place below the document. */
const fixtures: readonly (readonly [rule: RuleId, old: Schema, now: Schema, place: string])[] = [
  ["member-added-optional", object({}), object({ a: text }), "/properties/a"],
  ["member-added-required", object({}), object({ a: text }, { required: ["a"] }), "/properties/a"],
  ["member-removed-optional", object({ a: text }), object({}), "/properties/a"],
  [
    "member-removed-required",
    object({ a: text }, { required: ["a"] }),
    object({}),
    "/properties/a",
  ],
  [
    "member-became-optional",
    object({ a: text }, { required: ["a"] }),
    object({ a: text }),
    "/properties/a",
  ],
  [
    "member-became-required",
    object({ a: text }),
    object({ a: text }, { required: ["a"] }),
    "/properties/a",
  ],
  ["object-closed", object({}, { additionalProperties: true }), object({}), ""],
  ["object-opened", object({}), object({}, { additionalProperties: true }), ""],
  ["type-narrowed", { type: ["string", "null"] }, text, ""],
  ["type-narrowed", { type: "number" }, { type: "integer" }, ""],
  ["type-widened", text, { type: ["string", "null"] }, ""],
  ["type-widened", { type: "integer" }, { type: "number" }, ""],
  ["type-changed", text, { type: "boolean" }, ""],
  ["type-changed", union(["A"]), object({}), ""],
  ["value-added", list(["A"]), list(["A", "B"]), ""],
  ["value-added", { const: "A" }, list(["B", "A"]), ""],
  ["value-added-open", list(["A"], true), list(["A", "B"], true), ""],
  ["value-removed", list(["A", "B"]), list(["A"]), ""],
  ["values-listed", text, list(["A"]), ""],
  ["values-unlisted", list(["A"]), text, ""],
  ["list-opened", list(["A"]), list(["A"], true), ""],
  ["list-closed", list(["A"], true), list(["A"]), ""],
  ["bound-tightened", { type: "string", maxLength: 9 }, { type: "string", maxLength: 8 }, ""],
  ["bound-tightened", text, { type: "string", minLength: 1 }, ""],
  ["bound-tightened", { type: "number" }, { type: "number", minimum: -1 }, ""],
  ["bound-tightened", { type: "array" }, { type: "array", maxItems: 3 }, ""],
  ["bound-loosened", { type: "number", minimum: 1 }, { type: "number", minimum: 0 }, ""],
  ["bound-loosened", { type: "array", maxItems: 3 }, { type: "array" }, ""],
  ["form-added", text, { type: "string", pattern: "^a$" }, ""],
  ["form-removed", { type: "string", format: "uri" }, text, ""],
  ["form-changed", { type: "string", pattern: "^a$" }, { type: "string", pattern: "^b$" }, ""],
  ["kind-added", union(["A"]), union(["B", "A"]), "/oneOf/0"],
  ["kind-removed", union(["A", "B"]), union(["A"]), "/oneOf/1"],
  ["tag-changed", union(["A"]), union(["A"], "kind"), ""],
  [
    "deprecated",
    object({ a: text }),
    object({ a: { ...text, deprecated: true } }),
    "/properties/a",
  ],
];

describe("a change between two sets of schemas", () => {
  it.each(fixtures)("is told as %s, in each direction by its severity", (rule, old, now, place) => {
    const changes = changed(old, now);
    expect(
      Object.fromEntries(changes.map(({ direction, severity }) => [direction, severity])),
    ).toEqual(diffRules[rule].severities);
    expect(changes.map((one) => [one.rule, one.place])).toEqual(
      changes.map(({ direction }) => [rule, `${paths[direction]}#${place}`]),
    );
  });

  it.each(fixtures)(
    "by %s breaks who was right before exactly where it says so",
    (rule, old, now) => {
      const { request, response } = diffRules[rule].severities;
      // What clients send already, and what readers of the old schema meet from now on.
      const refusedRequests = valuesOf(old).filter((value) => !accepts(alone(now), value));
      const refusedAnswers = valuesOf(now).filter(
        (value) => !accepts(alone(readersOf(old)), value),
      );
      // No value shows these: a list that is open holds the same values, a tag is how kinds are read.
      const isUnseen = rule === "list-opened" || rule === "tag-changed";
      expect([refusedRequests.length > 0, refusedAnswers.length > 0]).toEqual([
        request === "ERR" && rule !== "tag-changed",
        response !== "INFO" && !isUnseen && rule !== "member-removed-optional",
      ]);
    },
  );

  it("is told of documents that came and went", () => {
    const [one, none] = [everywhere(text), schemaSet({})];
    expect(diffSchemas(none, one).map(({ rule, severity }) => [rule, severity])).toEqual(
      directions.map(() => ["document-added", "INFO"]),
    );
    expect(diffSchemas(one, none).map(({ rule, severity }) => [rule, severity])).toEqual(
      directions.map(() => ["document-removed", "ERR"]),
    );
  });

  it("has a fixture for every rule", () => {
    const told = new Set<string>([
      ...fixtures.map(([rule]) => rule),
      "document-added",
      "document-removed",
    ]);
    expect(Object.keys(diffRules).filter((rule) => !told.has(rule))).toEqual([]);
  });

  it("is found in items, kinds and members of members", () => {
    const nested = (inner: Schema): Schema =>
      object({
        a: { type: "array", items: union(["A"]) },
        b: object({ c: inner }),
      });
    expect(placesOf(changed(nested(text), nested({ type: "boolean" })))).toEqual(
      directions.map((one) => `${paths[one]}#/properties/b/properties/c`).toSorted(),
    );
    const kinds = (inner: Schema): Schema => ({
      type: "array",
      items: {
        oneOf: [object({ t: { const: "A" }, x: inner })],
        discriminator: { propertyName: "t" },
      },
    });
    expect(placesOf(changed(kinds(text), kinds({ type: "null" })))).toEqual(
      directions.map((one) => `${paths[one]}#/items/oneOf/0/properties/x`).toSorted(),
    );
  });

  it("in a part that several refer to is judged by each direction, and told once in each", () => {
    const set = (inner: Schema): SchemaSet =>
      schemaSet({
        [paths.request]: object({
          a: { $ref: "part.schema.json" },
          b: { $ref: "part.schema.json" },
        }),
        [paths.event]: object({ a: { $ref: "../resources/part.schema.json" } }),
        "resources/part.schema.json": inner,
      });
    const changes = diffSchemas(set(list(["A"])), set(list(["A", "B"])));
    expect(changes.map(({ direction, severity, place }) => [direction, severity, place])).toEqual([
      ["event", "ERR", "resources/part.schema.json#"],
      ["request", "INFO", "resources/part.schema.json#"],
    ]);
  });

  it("is none where words, examples and the order of members and kinds change", () => {
    expect(
      changed(
        object({ a: text, b: union(["A", "B"]) }, { description: "old", examples: [{}] }),
        object({ b: union(["B", "A"]), a: { ...text, title: "A" } }, { description: "new" }),
      ),
    ).toEqual([]);
  });

  it("takes the severities that somebody chose, for all directions or one", () => {
    const [old, now] = [everywhere(object({ a: text })), everywhere(object({}))];
    const severities = { "member-removed-optional": { event: "NONE", response: "INFO" } } as const;
    expect(
      diffSchemas(old, now, { severities }).map(({ direction, severity }) => [direction, severity]),
    ).toEqual([
      ["request", "ERR"],
      ["response", "INFO"],
    ]);
    expect(diffSchemas(old, now, { severities: { "member-removed-optional": "NONE" } })).toEqual(
      [],
    );
  });

  it("cannot be judged where a keyword is outside the subset", () => {
    const foreign = { type: "string", contentEncoding: "base64" } as const;
    expect(() => changed(text, foreign)).toThrow(OutsideSubsetError);
  });
});

describe("what is taken away from clients", () => {
  const whole = object({ a: text, b: list(["x", "y"]) }, { required: ["a"] });

  it.each([
    ["a required member", object({ b: list(["x", "y"]) }), "response", "ERR"],
    ["a required member", object({ b: list(["x", "y"]) }), "event", "ERR"],
    ["a member that was sent", object({ a: text }, { required: ["a"] }), "request", "ERR"],
    [
      "a value that was sent",
      object({ a: text, b: list(["x"]) }, { required: ["a"] }),
      "request",
      "ERR",
    ],
    ["an optional member", object({ a: text }, { required: ["a"] }), "response", "WARN"],
  ] as const)(
    "[P-VERSION-ADDITIVE] %s is no additive change",
    (_what, now, direction, severity) => {
      const told = changed(whole, now).filter((one) => one.direction === direction);
      expect(told.map((one) => one.severity)).toEqual([severity]);
    },
  );

  it("[P-VERSION-ADDITIVE] a call is none, and what is added is one", () => {
    const gone = diffSchemas(everywhere(whole), schemaSet({}));
    expect(gone.map(({ severity }) => severity)).toEqual(["ERR", "ERR", "ERR"]);
    const more = object({ a: text, b: list(["x", "y"]), c: text }, { required: ["a"] });
    expect(changed(whole, more).map(({ severity }) => severity)).toEqual(["INFO", "INFO", "INFO"]);
  });
});

describe("the published schemas", () => {
  it("differ in nothing from themselves, each in its direction", () => {
    expect(diffSchemas(standardSchemas(), standardSchemas())).toEqual([]);
    const all = diffSchemas(schemaSet({}), standardSchemas());
    const pathsOf = (direction: string): string[] =>
      all.filter((one) => one.direction === direction).map(({ place }) => place.slice(0, -1));
    expect(pathsOf("request")).toEqual([
      "profiles/profile.schema.json",
      "resources/refund-request.schema.json",
      "resources/subscribe-request.schema.json",
      "resources/token-request.schema.json",
      "resources/unsubscribe-request.schema.json",
    ]);
    expect(pathsOf("response")).toEqual([
      "resources/customer.schema.json",
      "resources/flat-error.schema.json",
      "resources/problem.schema.json",
      "resources/refund.schema.json",
      "resources/subscribe-response.schema.json",
      "resources/token-error.schema.json",
      "resources/token-response.schema.json",
      "resources/unsubscribe-response.schema.json",
    ]);
    expect(pathsOf("event")).toHaveLength(16);
  });
});
