import { describe, expect, it } from "vitest";
import { withValueAt } from "@countersign/schemas";
import fc from "fast-check";
import { arbitrary } from "../src/derive/arbitrary.ts";
import { boundaries, examples } from "../src/derive/cases.ts";
import { accepts } from "../src/derive/validity.ts";
import { diffDocuments, type DiffOptions } from "../src/diff/diff-documents.ts";
import { diffRules, type Change, type RuleId } from "../src/diff/rules.ts";
import {
  type EventsDocument,
  type JsonSchema as Schema,
  partsOf,
  readDocument,
} from "../src/documents/index.ts";
import { folderDocument } from "../src/documents/read-document.ts";
import { filesInMemory } from "../src/documents/source-files.ts";
import { alone } from "./oracle.ts";

const paths = {
  request: "resources/order-request.schema.json",
  response: "resources/order-response.schema.json",
  event: "events/order.made.schema.json",
} as const;

const directions = ["request", "response", "event"] as const;

type Files = Readonly<Record<string, unknown>>;

/** Reads schemas by their paths, as if they were in a folder. */
const read = (files: Files): EventsDocument =>
  // A file shares no object with another one.
  folderDocument("", filesInMemory(JSON.parse(JSON.stringify(files)) as Files));
const diff = (old: Files, now: Files, options?: DiffOptions): readonly Change[] =>
  diffDocuments(read(old), read(now), options);

/** One schema in each direction. */
const everywhere = (schema: Schema): Files =>
  Object.fromEntries(directions.map((one) => [paths[one], schema]));
const changed = (old: Schema, now: Schema, options?: DiffOptions): readonly Change[] =>
  diff(everywhere(old), everywhere(now), options);

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
const map = (additionalProperties: Schema): Schema => ({ type: "object", additionalProperties });
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
  ["keyword-changed", { not: { const: 1 } }, { not: { const: 2 } }],
  ["value-added", list(["A"]), list(["A", "B"])],
  ["value-added", { const: "A" }, list(["B", "A"])],
  ["value-added-open", list(["A"], true), list(["A", "B"], true)],
  ["value-removed", list(["A", "B"]), list(["A"])],
  ["value-removed", list(["A", "B"], true), list(["A"], true)],
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
  ["form-tightened", { type: "number", multipleOf: 0.01 }, { type: "number", multipleOf: 0.1 }],
  ["form-loosened", { type: "integer", format: "int32" }, { type: "integer", format: "int64" }],
  ["map-described", { type: "object" }, map(text), ""],
  ["map-undescribed", map(text), { type: "object" }, ""],
  ["type-changed", map(text), map({ type: "integer" }), "/additionalProperties"],
  ["type-narrowed", { type: "array" }, { type: "array", items: text }, "/items"],
  ["member-became-required", anything, { ...anything, required: ["z"] }, "/properties/z"],
  [
    "member-undescribed",
    { ...must, additionalProperties: true },
    object({}, { required: ["a"], additionalProperties: true }),
    "/properties/a",
  ],
  ["member-described", anything, { ...may, additionalProperties: true }, "/properties/a"],
  ["kind-added", union(["A"]), union(["B", "A"]), "/oneOf/0"],
  ["kind-removed", union(["A", "B"]), union(["A"]), "/oneOf/1"],
  ["discriminator-changed", union(["A"]), union(["A"], "kind")],
  ["type-narrowed", { type: ["string", "null"], anyOf: [{}] }, { type: "string", anyOf: [{}] }],
  ["union-added", may, { ...may, anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
  ["union-removed", { ...may, anyOf: [{ required: ["a"] }, { required: ["b"] }] }, may],
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
    },
  );

  // No value shows these: an open list has the same values, readers distinguish kinds by the tag, and readers may miss
  // a member that senders omit.
  const unseen: readonly RuleId[] = [
    "list-opened",
    "discriminator-changed",
    "keyword-changed",
    "member-removed-optional",
    "value-removed",
  ];
  const seen = fixtures.map(([rule, old, now]) => [rule, old, now] as const);
  it.each(seen.filter(([rule]) => !unseen.includes(rule)))(
    "reports %s as breaking only if a value is refused that was accepted",
    (rule, old, now) => {
      const { request, response } = diffRules[rule].severities;
      const requests = valuesOf(old).filter((value) => !accepts(alone(now), value));
      const answers = valuesOf(now).filter((value) => !accepts(alone(readersOf(old)), value));
      expect([
        requests.length > 0 && request !== "ERR",
        answers.length > 0 && response !== "ERR",
      ]).toEqual([false, false]);
    },
  );

  it("has a fixture for every rule", () => {
    const rules = [...fixtures.map(([rule]) => rule), "part-added", "part-removed"];
    expect(Object.keys(diffRules).filter((rule) => !rules.includes(rule))).toEqual([]);
  });

  it("reports added and removed files", () => {
    const one = everywhere(text);
    const some = { [paths.event]: text };
    const told = (old: Files, now: Files) =>
      diff(old, now).map(({ rule, severity }) => `${rule} ${severity}`);
    expect(told(some, one)).toEqual(["part-added INFO", "part-added INFO"]);
    expect(told(one, some)).toEqual(["part-removed ERR", "part-removed ERR"]);
  });

  it("reports the same for a member of a small and of a large schema", () => {
    const many = Array.from({ length: 200 }, (_, index) => [`m${index}`, text] as const);
    const verdicts = (rest: Record<string, Schema>) =>
      changed(object({ a: text, ...rest }), object(rest)).map((one) => ({ ...one, place: "" }));
    expect(verdicts(Object.fromEntries(many))).toEqual(verdicts({}));
  });

  const or = (one: Schema): Schema => ({ anyOf: [one, { type: "null" }] });
  it.each([
    [
      "a renamed value of an open list as one that is gone",
      list(["A", "B"], true),
      list(["A", "C"], true),
      ["value-removed", "value-added-open"],
    ],
    ["nothing if a nullable kind is a nullable type", or(text), nullable, []],
    ["a narrowed type if a kind is null no more", or(may), may, ["type-narrowed"]],
    [
      "nothing of descriptions, examples and the order of members and kinds",
      object({ a: text, b: union(["A", "B"]) }, { description: "old", examples: [{}] }),
      object({ b: union(["B", "A"]), a: { ...text, title: "A" } }, { description: "new" }),
      [],
    ],
  ])("reports %s", (_what, old, now, rules) => {
    const events = changed(old, now).filter(({ direction }) => direction === "event");
    expect(events.map(({ rule }) => rule)).toEqual(rules);
  });

  it("takes every list as open with openEnums", () => {
    const changes = changed(list(["A"]), list(["A", "B"]), { openEnums: true });
    expect(new Set(changes.map(({ rule }) => rule))).toEqual(new Set(["value-added-open"]));
  });

  it("reports a change of a shared part once in each direction that uses it", () => {
    const part = { $ref: "part.schema.json" };
    const set = (inner: Schema): Files => ({
      [paths.request]: object({ a: part, b: part }),
      [paths.event]: object({ a: { $ref: "../resources/part.schema.json" } }),
      "resources/part.schema.json": inner,
    });
    const changes = diff(set(list(["A"])), set(list(["A", "B"])));
    expect(changes.map(({ direction, severity, place }) => [direction, severity, place])).toEqual([
      ["event", "ERR", "resources/part.schema.json#"],
      ["request", "INFO", "resources/part.schema.json#"],
    ]);
  });

  it("compares schemas that contain themselves", () => {
    const inner = { $ref: "order.made.schema.json" };
    const tree = (leaf: Schema): Files => ({ [paths.event]: object({ leaf, inner }) });
    expect(diff(tree(long(3)), tree(long(4)))).toMatchObject([
      { rule: "bound-loosened", place: `${paths.event}#/properties/leaf` },
    ]);
  });

  it("finds no change in the published schemas, each of which has a direction", async () => {
    const folder = new URL("../../../schemas/documents", import.meta.url).pathname;
    const document = await readDocument(folder);
    expect(diffDocuments(document, document)).toEqual([]);
    const named = (direction: string): string =>
      document.parts
        .filter((one) => one.direction === direction)
        .map(({ name }) => /([^/]*)\.schema/.exec(name)?.[1] ?? "")
        .join(" ");
    expect(named("request")).toBe(
      "profile refund-request subscribe-request token-request unsubscribe-request",
    );
    expect(named("response")).toBe(
      "customer event-list flat-error payment problem refund subscribe-response token-error token-response unsubscribe-response",
    );
    expect(named("event").split(" ")).toHaveLength(16);
  });
});

describe("a diff of OpenAPI documents", () => {
  interface Webhook {
    readonly header?: string;
    readonly status?: number;
    readonly schema?: Schema;
  }
  const webhook = ({ header, status = 200, schema = text }: Webhook) =>
    readDocument({
      openapi: "3.1.0",
      webhooks: {
        paid: {
          post: {
            parameters: header ? [{ name: header, in: "header", required: true, schema: {} }] : [],
            requestBody: { content: { "application/json": { schema } } },
            responses: { [status]: {} },
          },
        },
      },
    });
  const told = async (old: Webhook, now: Webhook): Promise<readonly string[]> =>
    diffDocuments(await webhook(old), await webhook(now)).map(
      ({ severity, direction, rule, place }) => `${severity} ${direction} ${rule} ${place}`,
    );

  it("reports a renamed header of a webhook", async () => {
    expect(await told({ header: "X-Sig" }, { header: "x-signature" })).toEqual([
      "ERR event member-removed-required events/paid headers#/properties/header x-sig",
      "INFO event member-added-required events/paid headers#/properties/header x-signature",
    ]);
    expect(await told({ header: "X-Sig" }, { header: "x-sig" })).toEqual([]);
  });

  it.each([
    [
      "callbacks",
      (all: readonly object[]) => ({
        openapi: "3.0.0",
        paths: Object.fromEntries(
          all.map((schema, index) => {
            const hook = { post: { requestBody: { content: { "application/json": { schema } } } } };
            return [`/${index}`, { post: { callbacks: { paid: { "{$url}": hook } } } }];
          }),
        ),
      }),
    ],
    [
      "messages",
      (all: readonly object[]) => ({
        asyncapi: "3.0.0",
        channels: Object.fromEntries(
          all.map((payload, index) => [`c${index}`, { messages: { paid: { payload } } }]),
        ),
      }),
    ],
  ])("compares %s of one name each by itself", async (_, document) => {
    const described = (...all: readonly object[]) => readDocument(document(all));
    const [old, now] = [{ type: "string" }, { type: "integer" }];
    const changes = diffDocuments(await described(old, old), await described(now, old));
    expect(changes.map(({ rule }) => rule)).toEqual(["type-changed"]);
  });

  it("reports another answer to a webhook as a request that receivers write", async () => {
    expect(await told({ status: 200 }, { status: 204 })).toEqual([
      "ERR request part-removed events/paid response 200#",
      "INFO request part-added events/paid response 204#",
    ]);
  });

  it.each([
    [may, must, "INFO event member-became-required"],
    [must, may, "ERR event member-became-optional"],
  ])(
    "takes a webhook's body as an event, by the reader's polarity: %j → %j",
    async (old, now, change) => {
      const place = "events/paid application~json#/properties/a";
      expect(await told({ schema: old }, { schema: now })).toEqual([`${change} ${place}`]);
    },
  );
});

const without =
  (...keywords: readonly string[]) =>
  (schema: Schema): Schema =>
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

/** A change of each keyword that accepts other values. */
const mutations: Readonly<Record<string, (schema: Schema) => Schema>> = {
  $ref: () => ({ type: "boolean" }),
  type: (schema) => ({ ...schema, type: schema.type === "boolean" ? "string" : "boolean" }),
  const: (schema) => ({ ...schema, const: "other" }),
  enum: ({ enum: values = [], ...schema }) => ({ ...schema, enum: [...values, "other"] }),
  required: ({ required = [], ...schema }) => ({ ...schema, required: required.slice(1) }),
  properties: without("properties", "required"),
  additionalProperties: ({ additionalProperties: others, ...schema }) =>
    others === false ? schema : { ...schema, additionalProperties: false },
  oneOf: ({ oneOf = [], ...schema }) => ({ ...schema, oneOf: oneOf.slice(1) }),
  anyOf: ({ anyOf = [], ...schema }) => ({ ...schema, anyOf: anyOf.slice(1) }),
  items: without("items"),
  maxLength: without("maxLength"),
  minLength: ({ minLength = 0, ...schema }) => ({ ...schema, minLength: minLength + 1 }),
  maximum: without("maximum"),
  pattern: without("pattern"),
  format: without("format"),
};

/** A schema with one keyword of it, or of a part of it, changed; one for each. */
function mutantsOf(schema: Schema): readonly (readonly [keyword: string, mutant: Schema])[] {
  const own = Object.keys(schema).flatMap((keyword) => {
    const mutant = mutations[keyword]?.(schema);
    const isOther = JSON.stringify(mutant) !== JSON.stringify(schema);
    return mutant !== undefined && isOther ? [[keyword, mutant] as const] : [];
  });
  const inner = partsOf(schema).flatMap(([steps, part]) =>
    mutantsOf(part).map(([keyword, mutant]) => {
      // A schema with another one instead of a part.
      const whole = withValueAt(schema, steps, mutant) as Schema;
      return [`${steps.join("/")}/${keyword}`, whole] as const;
    }),
  );
  return [...own, ...inner];
}

it("a diff reports a change of any keyword of a real document", { tags: "ci" }, async () => {
  const file = new URL("../../../schemas/openapi.json", import.meta.url).pathname;
  const document = await readDocument(file);
  const mutants = Object.entries(document.schemas).flatMap(([name, schema]) =>
    mutantsOf(schema).map(([place, mutant]) => [`${name}/${place}`, name, mutant] as const),
  );
  expect(mutants.length).toBeGreaterThan(500);
  const some = mutants.filter((_, index) => index % 3 === 0);
  const silent = some.filter(([, name, mutant]) => {
    const now = { ...document, schemas: { ...document.schemas, [name]: mutant } };
    return diffDocuments(document, now).length === 0;
  });
  expect(silent.map(([place]) => place)).toEqual([]);
});
