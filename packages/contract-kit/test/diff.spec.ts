import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { boundaries } from "../src/derive/cases.ts";
import { examples } from "../src/derive/example.ts";
import { accepts } from "../src/derive/faults.ts";
import { schemaSet, standardSchemas, type Schema, type SchemaSet } from "../src/derive/schema.ts";
import { diffSchemas } from "../src/diff/diff-schemas.ts";
import { diffRules, type Change, type RuleId } from "../src/diff/rules.ts";
import { alone } from "./oracle.ts";

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

/** Values that a schema accepts: examples, bounds and random ones. */
const valuesOf = (schema: Schema): readonly unknown[] => {
  const at = alone(schema);
  const made = examples(at, { optional: "present" });
  const bounds = made.flatMap((value) => boundaries(at, value).map((one) => one.value));
  return [...made, ...bounds, ...fc.sample(arbitrary(at), { numRuns: 20, seed: 1 })];
};

/** The schema as readers apply it: added members pass, and unknown values of open lists. */
const readersOf = (schema: Schema): Schema => {
  const { enum: values, ...rest } = schema;
  return {
    ...rest,
    ...(values !== undefined && schema["x-open"] !== true && { enum: values }),
    ...(schema.properties && { additionalProperties: true }),
  };
};

const none = object({});
const anything = object({}, { additionalProperties: true });
const may = object({ a: text });
const must = object({ a: text }, { required: ["a"] });
const nullable: Schema = { type: ["string", "null"] };
const long = (maxLength: number): Schema => ({ type: "string", maxLength });
/** A list of one kind, which has this member. */
const kinds = (x: Schema): Schema => ({
  type: "array",
  items: { ...union(["A"]), oneOf: [object({ type: { const: "A" }, x }, { required: ["type"] })] },
});
const yes: Schema = { type: "boolean" };
const form = (pattern: string): Schema => ({ type: "string", pattern });

/** Changes by one rule each, with the place below the document. */
const fixtures: readonly (readonly [rule: RuleId, old: Schema, now: Schema, place?: string])[] = [
  ["member-added-optional", none, may, "/properties/a"],
  ["member-added-required", none, must, "/properties/a"],
  ["member-removed-optional", may, none, "/properties/a"],
  ["member-removed-required", must, none, "/properties/a"],
  ["member-became-optional", must, may, "/properties/a"],
  ["member-became-required", may, must, "/properties/a"],
  ["object-closed", object({}, { additionalProperties: true }), none],
  ["object-opened", none, object({}, { additionalProperties: true })],
  ["type-narrowed", nullable, text],
  ["type-narrowed", { type: "number" }, { type: "integer" }],
  ["type-widened", text, nullable],
  ["type-widened", { type: "integer" }, { type: "number" }],
  ["type-changed", text, yes],
  [
    "type-changed",
    object({ b: may }),
    object({ b: object({ a: yes }) }),
    "/properties/b/properties/a",
  ],
  ["type-changed", kinds(text), kinds(yes), "/items/oneOf/0/properties/x"],
  ["type-changed", union(["A"]), none],
  ["value-added", list(["A"]), list(["A", "B"])],
  ["value-added", { const: "A" }, list(["B", "A"])],
  ["value-added-open", list(["A"], true), list(["A", "B"], true)],
  ["value-removed", list(["A", "B"]), list(["A"])],
  ["values-listed", text, list(["A"])],
  ["values-unlisted", list(["A"]), text],
  ["list-opened", list(["A"]), list(["A"], true)],
  ["list-closed", list(["A"], true), list(["A"])],
  ["bound-tightened", long(9), long(8)],
  ["bound-tightened", text, { type: "string", minLength: 1 }],
  ["bound-tightened", { type: "number" }, { type: "number", minimum: -1 }],
  ["bound-tightened", { type: "array" }, { type: "array", maxItems: 3 }],
  ["bound-loosened", { type: "number", minimum: 1 }, { type: "number", minimum: 0 }],
  ["bound-loosened", { type: "array", maxItems: 3 }, { type: "array" }],
  ["form-added", text, form("^a$")],
  ["form-removed", { type: "string", format: "uri" }, text],
  ["form-changed", form("^a$"), form("^b$")],
  ["form-tightened", form("^[ab]$"), form("^a$")],
  ["form-loosened", form("^[0-9]{4}$"), form("^[0-9]{4,6}$")],
  ["form-respelled", form("^[0-9]$"), form(String.raw`^\d$`)],
  ["member-described", anything, { ...may, additionalProperties: true }, "/properties/a"],
  ["kind-added", union(["A"]), union(["B", "A"]), "/oneOf/0"],
  ["kind-removed", union(["A", "B"]), union(["A"]), "/oneOf/1"],
  ["tag-changed", union(["A"]), union(["A"], "kind")],
  ["deprecated", may, object({ a: { ...text, deprecated: true } }), "/properties/a"],
];

describe("a diff of schemas", () => {
  it.each(fixtures.map(([rule, old, now, place = ""]) => [rule, old, now, place] as const))(
    "[P-VERSION-ADDITIVE] reports %s where old requests or readers break",
    (rule, old, now, place) => {
      const changes = changed(old, now);
      const { severities } = diffRules[rule];
      expect(
        Object.fromEntries(changes.map(({ direction, severity }) => [direction, severity])),
      ).toEqual(severities);
      expect(changes.map((one) => [one.rule, one.place])).toEqual(
        changes.map(({ direction }) => [rule, `${paths[direction]}#${place}`]),
      );

      const refusedRequests = valuesOf(old).filter((value) => !accepts(alone(now), value));
      const refusedAnswers = valuesOf(now).filter(
        (value) => !accepts(alone(readersOf(old)), value),
      );
      // No value shows these: an open list has the same values, and a tag is how kinds are read.
      const isUnseen = rule === "list-opened" || rule === "tag-changed";
      const isGuessed = rule === "tag-changed" || rule === "member-described";
      expect([refusedRequests.length > 0, refusedAnswers.length > 0]).toEqual([
        severities.request === "ERR" && !isGuessed,
        severities.response !== "INFO" && !isUnseen && rule !== "member-removed-optional",
      ]);
    },
  );

  it("reports added and removed documents", () => {
    const [one, empty] = [everywhere(text), schemaSet({})];
    const told = (old: SchemaSet, now: SchemaSet) =>
      diffSchemas(old, now).map(({ rule, severity }) => `${rule} ${severity}`);
    expect(told(empty, one)).toEqual(directions.map(() => "document-added INFO"));
    expect(told(one, empty)).toEqual(directions.map(() => "document-removed ERR"));
  });

  it.each<[what: string, wide: Schema, narrow: Schema]>([
    ["items", { type: "array" }, { type: "array", items: text }],
    ["a required member without a schema", anything, { ...anything, required: ["z"] }],
  ])("finds a value by search that no rule knows: %s", (_, wide, narrow) => {
    const told = (old: Schema, now: Schema) =>
      changed(old, now).map(({ rule, direction }) => `${rule} ${direction}`);
    expect(told(wide, narrow)).toEqual(["value-refused request"]);
    expect(told(narrow, wide)).toEqual(["value-refused event", "value-refused response"]);
  });

  it("has a fixture for every rule", () => {
    const others = ["document-added", "document-removed", "value-refused"];
    const rules = [...fixtures.map(([rule]) => rule), ...others];
    expect(Object.keys(diffRules).filter((rule) => !rules.includes(rule))).toEqual([]);
  });

  it("reports a change of a shared part once in each direction that uses it", () => {
    const part = { $ref: "part.schema.json" };
    const set = (inner: Schema): SchemaSet =>
      schemaSet({
        [paths.request]: object({ a: part, b: part }),
        [paths.event]: object({ a: { $ref: "../resources/part.schema.json" } }),
        "resources/part.schema.json": inner,
      });
    const changes = diffSchemas(set(list(["A"])), set(list(["A", "B"])));
    expect(changes.map(({ direction, severity, place }) => [direction, severity, place])).toEqual([
      ["event", "ERR", "resources/part.schema.json#"],
      ["request", "INFO", "resources/part.schema.json#"],
    ]);
  });

  it("ignores descriptions, examples and the order of members and kinds", () => {
    const old = object({ a: text, b: union(["A", "B"]) }, { description: "old", examples: [{}] });
    const now = object(
      { b: union(["B", "A"]), a: { ...text, title: "A" } },
      { description: "new" },
    );
    expect(changed(old, now)).toEqual([]);
  });

  it("takes other severities, for all directions or one", () => {
    const severities = { "member-removed-optional": { event: "NONE", response: "INFO" } } as const;
    const told = diffSchemas(everywhere(may), everywhere(none), { severities });
    expect(told.map(({ direction, severity }) => `${direction} ${severity}`)).toEqual([
      "request ERR",
      "response INFO",
    ]);
    const silent = { "member-removed-optional": "NONE" } as const;
    expect(diffSchemas(everywhere(may), everywhere(none), { severities: silent })).toEqual([]);
  });

  it("finds no change in the published schemas, each of which has a direction", () => {
    expect(diffSchemas(standardSchemas(), standardSchemas())).toEqual([]);
    const all = diffSchemas(schemaSet({}), standardSchemas());
    const named = (direction: string): string[] =>
      all
        .filter((one) => one.direction === direction)
        .map(({ place }) => /\/(.*)\.schema/.exec(place)?.[1] ?? "");
    expect(named("request").join(" ")).toBe(
      "profile refund-request subscribe-request token-request unsubscribe-request",
    );
    expect(named("response").join(" ")).toBe(
      "customer flat-error payment problem refund subscribe-response token-error token-response unsubscribe-response",
    );
    expect(named("event")).toHaveLength(16);
  });
});
