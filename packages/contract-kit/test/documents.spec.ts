import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocument } from "../src/documents/index.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

type Files = Readonly<Record<string, unknown>>;

/** Writes files, as JSON unless they are text, and returns the path of the first. */
function written(files: Files): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text);
  }
  return join(folder, Object.keys(files)[0] ?? "");
}

const posted = (schema: unknown, more: object = {}): object => ({
  post: {
    ...more,
    requestBody: { content: { "application/json": { schema } } },
    responses: { 200: { description: "ok" } },
  },
});
const openApi = (webhooks: object, schemas: object = {}): object => ({
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  webhooks,
  components: { schemas },
});
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
/** The document of one webhook whose body has a schema. */
const body = (schema: unknown, schemas: object = {}): object =>
  openApi({ sent: posted(schema) }, schemas);
const schemaOf = async (schema: unknown, schemas: object = {}, version = "3.1.0") => {
  const { events, schemas: named } = await readDocument({
    ...body(schema, schemas),
    openapi: version,
  });
  return { schema: events[0]?.schema, named };
};
/** The parameters of a webhook: a required header. */
const withHeader = (name: string, schema: object = {}): object => ({
  parameters: [{ name, in: "header", required: true, schema }],
});

describe("readDocument", () => {
  it("reads webhooks with headers, media type, examples and statuses", async () => {
    const webhook = posted(ref("Paid"), withHeader("X-Signature"));
    const paid = { type: "object", properties: { id: { type: "string" } } };
    const document = openApi({ paid: webhook }, { Paid: paid });
    const { title, events, schemas } = await readDocument(document);
    expect(title).toBe("Shop");
    expect(events).toEqual([
      {
        key: "paid",
        name: "paid",
        headers: { "x-signature": {} },
        requiredHeaders: ["x-signature"],
        schema: { $ref: "#/schemas/Paid" },
        mediaType: "application/json",
        examples: [],
        responses: ["200"],
      },
    ]);
    expect(schemas).toEqual({ Paid: paid });
  });

  const callbacks = { paid: { "{$request.body#/url}": posted({}) } };
  it.each([
    [
      "OpenAPI 3.2 in YAML",
      "openapi: 3.2.0\nwebhooks: {paid: {post: {requestBody: {content: {application/json: {schema: {}}}}}}}",
    ],
    ["OpenAPI 3.0 with x-webhooks", { openapi: "3.0.3", "x-webhooks": { paid: posted({}) } }],
    [
      "OpenAPI 3.0 with a callback",
      { openapi: "3.0.0", paths: { "/pay": { post: { callbacks } } } },
    ],
    [
      "AsyncAPI 2",
      "asyncapi: 2.6.0\nchannels: {paid: {publish: {message: {payload: {type: object}}}}}",
    ],
    ["AsyncAPI 3", "asyncapi: 3.0.0\nchannels: {c: {messages: {paid: {payload: {type: object}}}}}"],
  ])("reads %s", async (_what, content) => {
    const name = typeof content === "string" ? "a.yaml" : "a.json";
    const { events } = await readDocument(written({ [name]: content }));
    expect(events.map((event) => event.name)).toEqual(["paid"]);
  });

  it("reads the schemas below events/ of a folder, with the files that they refer to", async () => {
    const file = written({
      "payer.schema.json": { type: "string" },
      "events/paid.schema.json": { properties: { by: { $ref: "../payer.schema.json" } } },
    });
    const { events, schemas } = await readDocument(dirname(file));
    expect(events).toMatchObject([{ name: "paid", schema: { $ref: "#/schemas/paid" } }]);
    expect(Object.keys(schemas)).toEqual(["paid", "payer"]);
  });

  it("follows references out of its folder in its git repository", async () => {
    const file = written({
      "docs/a.json": body({ $ref: "../kinds.yaml#/Kind" }),
      "kinds.yaml": "Kind: {type: string}",
      ".git/HEAD": "",
    });
    expect((await readDocument(file)).schemas).toEqual({ Kind: { type: "string" } });
  });

  it("needs no file that only a description refers to", async () => {
    const description = { $ref: "paid.md" };
    const file = written({ "a.json": { ...body({ type: "object" }), info: { description } } });
    expect((await readDocument(file)).events).toHaveLength(1);
  });

  it("follows references to files in examples, and in members that are named like keywords", async () => {
    const content = {
      "application/json": {
        examples: { a: { $ref: "paid.yaml" } },
        schema: {
          type: "object",
          properties: { default: { $ref: "kinds.yaml#/Kind" } },
        },
      },
    };
    const file = written({
      "a.json": openApi({ paid: { post: { requestBody: { content } } } }),
      "paid.yaml": "value: {default: a}",
      "kinds.yaml": "Kind: {type: string}",
    });
    const { events, schemas } = await readDocument(file);
    expect(events[0]?.examples).toEqual([{ default: "a" }]);
    expect(schemas).toEqual({ Kind: { type: "string" } });
  });

  it("follows references into other files of its folder", async () => {
    const file = written({
      "a.yaml": "openapi: 3.1.0\nwebhooks: {paid: {$ref: 'parts/hooks.json#/paid'}}\n",
      "parts/hooks.json": { paid: posted({ $ref: "../kinds.yaml#/Kind" }) },
      "kinds.yaml": "Kind: {type: string}\n",
    });
    expect((await readDocument(file)).schemas).toEqual({ Kind: { type: "string" } });
  });
});

it("reads each message of an AsyncAPI 2 channel, by its name or component, with its traits' headers", async () => {
  const headers = { required: ["X-Event"], properties: { "X-Event": { type: "string" } } };
  const { events } = await readDocument({
    asyncapi: "2.6.0",
    channels: {
      payments: {
        subscribe: {
          message: { oneOf: [{ $ref: "#/components/messages/paid" }, { name: "failed" }] },
        },
      },
    },
    components: { messages: { paid: { traits: [{ headers }], payload: { type: "object" } } } },
  });
  expect(events).toMatchObject([
    { name: "paid", requiredHeaders: ["x-event"], schema: { type: "object" } },
    { name: "failed", schema: {} },
  ]);
});

it.each([
  ["AsyncAPI 2", "2.6.0", { schemaFormat: "application/vnd.apache.avro", payload: ["string"] }],
  ["AsyncAPI 3", "3.0.0", { payload: { schemaFormat: "application/x-protobuf", schema: "a" } }],
])(
  "takes the payload of %s as any value if its format is not JSON Schema",
  async (_, asyncapi, message) => {
    const channel = { messages: { paid: message }, publish: { message } };
    const { events } = await readDocument({ asyncapi, channels: { paid: channel } });
    expect(events[0]).toMatchObject({ name: "paid", schema: {} });
  },
);

describe("the type of an event", () => {
  const kind = (...values: readonly string[]): object =>
    posted({ properties: { type: { enum: values } } });
  const inName = (type: string): object =>
    posted({
      properties: {
        object: { const: "event" },
        meta: { properties: { name: { const: type } } },
      },
    });
  const inHeader = (type: string): object => posted({}, withHeader("X-Event", { const: type }));
  const both = kind("payment.created", "payment.failed");

  it.each([
    [
      "the one value of a member that differs in each webhook",
      { a: inName("a.paid"), b: inName("b.paid") },
      ["a.paid body:/meta/name", "b.paid body:/meta/name"],
    ],
    [
      "the listed value that is spelled like the webhook's key",
      { paymentCreated: both, paymentFailed: both },
      ["payment.created body:/type", "payment.failed body:/type"],
    ],
    [
      "the one value of a required header",
      { a: inHeader("push"), b: inHeader("ping") },
      ["push header:x-event", "ping header:x-event"],
    ],
    [
      "the key, without a slash before it, of the one webhook that has no type",
      { a: kind("a.paid"), b: kind("b.paid"), "/C_PAID": posted({}) },
      ["a.paid body:/type", "b.paid body:/type", "C_PAID "],
    ],
    [
      "each value that the member of a usual name lists, of one webhook for several types",
      { sent: both },
      ["payment.created body:/type", "payment.failed body:/type"],
    ],
    [
      "the key of one webhook whose only constant is of another name",
      { sent: posted({ properties: { specversion: { const: "1.0" } } }) },
      ["sent "],
    ],
    ["the webhook's key without such a place", { a: posted({}) }, ["a "]],
    [
      "the key for a chosen place without values",
      { a: posted({}) },
      ["a header:x-event"],
      "header:X-Event",
    ],
    ["the value at a chosen place", { a: kind("x") }, ["x body:/type"], "/type"],
  ] as readonly [string, object, string[], string?][])(
    "is %s",
    async (_what, webhooks, types, eventType) => {
      const { events } = await readDocument(openApi(webhooks), { eventType });
      expect(events.map(({ name, typeAt }) => `${name} ${typeAt ?? ""}`)).toEqual(types);
    },
  );

  it("chooses the kind of a union of several types", async () => {
    const paid = { properties: { type: { const: "paid" } } };
    const others = { properties: { type: { enum: ["failed", "held"] } } };
    const union = posted({ oneOf: [ref("Paid"), ref("Other")] });
    const { events } = await readDocument(openApi({ sent: union }, { Paid: paid, Other: others }));
    expect(events).toMatchObject([
      { name: "paid", schema: { $ref: "#/schemas/Paid" } },
      { name: "failed", schema: { required: ["type"] } },
      { name: "held", schema: { required: ["type"] } },
    ]);
  });

  it("narrows a schema that lists the types of several webhooks", async () => {
    const { events } = await readDocument(openApi({ a: kind("a", "b"), b: kind("a", "b") }));
    const types = events.map(({ schema }) => schema.properties?.["type"]);
    expect(types).toEqual([{ const: "a" }, { const: "b" }]);
  });
});

describe("a schema of a document", () => {
  const base = {
    type: "object",
    properties: { n: { type: "number", minimum: 1 } },
    required: ["n"],
  };
  const more = { properties: { n: { type: "integer", minimum: 0 }, m: true } };
  const next = { description: "d", deprecated: true, "x-more": 1 };
  const list = { type: "array", items: {} };
  const orNull = { anyOf: [{ $ref: "#/schemas/A" }, { type: "null" }] };
  it.each([
    [
      "allOf and the siblings of $ref merged",
      { allOf: [ref("A"), more], required: ["m"] },
      {
        type: "object",
        required: ["m", "n"],
        properties: { n: { type: "integer", minimum: 1 }, m: {} },
      },
    ],
    [
      "a second pattern kept in allOf",
      { pattern: "^a", allOf: [{ pattern: "b$" }] },
      { pattern: "^a", allOf: [{ pattern: "b$" }] },
    ],
    [
      "its reference if only annotations are next to it",
      { allOf: [ref("A")], ...next },
      { $ref: "#/schemas/A", description: "d", deprecated: true },
    ],
    [
      "a type if it has properties or items",
      { properties: { list: { items: {} } } },
      { type: "object", properties: { list } },
    ],
    ["no type that JSON does not have", { type: "file" }, {}],
    [
      "no keywords that refuse nothing",
      { properties: { a: { "x-internal": true, readOnly: true, type: "string" } } },
      { type: "object", properties: { a: { type: "string" } } },
    ],
  ])("has %s", async (_what, schema, read) => {
    expect((await schemaOf(schema, { A: base })).schema).toEqual(read);
  });

  it.each([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [{ nullable: true, allOf: [ref("A")] }, orNull],
    [{ type: ["null"], allOf: [ref("A")] }, orNull],
    [{ minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
    [{ example: "x" }, { examples: ["x"] }],
  ])("is translated from OpenAPI 3.0: %j", async (old, now) => {
    expect((await schemaOf(old, { A: {} }, "3.0.3")).schema).toEqual(now);
  });

  it("has the discriminator's value in each kind", async () => {
    const kind = { type: "object", properties: { k: { type: "string" } } };
    const discriminator = { propertyName: "k", mapping: { cat: "#/components/schemas/Cat" } };
    const union = { oneOf: [ref("Cat"), ref("Dog")], discriminator };
    const { schema } = await schemaOf(union, { Cat: kind, Dog: kind });
    expect(schema?.oneOf).toMatchObject([
      { title: "Cat", properties: { k: { const: "cat" } } },
      { title: "Dog", properties: { k: { const: "Dog" } } },
    ]);
  });

  it.each([
    ["lists values that the discriminator does not have", ["cat", "kitten"], { cat: "Cat" }],
    ["lists no name of a schema", ["a", "b"], {}],
  ])("keeps the values of a kind that %s", async (_, values, mapping) => {
    const kind = { type: "object", properties: { k: { enum: values } } };
    const discriminator = { propertyName: "k", mapping };
    const union = { oneOf: [ref("Cat"), ref("Dog")], discriminator };
    const { schema, named } = await schemaOf(union, { Cat: kind, Dog: { type: "object" } });
    expect(schema?.oneOf?.[0]).toEqual({ $ref: "#/schemas/Cat" });
    expect(named?.["Cat"]).toEqual(kind);
  });

  it("is the union of the schemas that extend it, as its discriminator's mapping says", async () => {
    const discriminator = { propertyName: "k", mapping: { cat: "Cat" } };
    const pet = { type: "object", discriminator, properties: { k: { type: "string" } } };
    const cat = { allOf: [ref("Pet"), { properties: { lives: { type: "integer" } } }] };
    const { named } = await schemaOf(ref("Pet"), { Pet: pet, Cat: cat });
    expect(named["Pet"]?.oneOf?.[0]?.properties).toEqual({
      k: { type: "string", const: "cat" },
      lives: { type: "integer" },
    });
  });

  it("extends a schema from the file that only its discriminator's mapping names", async () => {
    const discriminator = { propertyName: "k", mapping: { cat: "cat.json" } };
    const pet = { type: "object", discriminator };
    const cat = { allOf: [{ $ref: "a.json#/components/schemas/Pet" }, { required: ["lives"] }] };
    const files = { "a.json": body(ref("Pet"), { Pet: pet }), "cat.json": cat };
    const { schemas } = await readDocument(written(files));
    expect(schemas["Pet"]?.oneOf).toMatchObject([{ required: ["k", "lives"] }]);
  });

  it("stays a reference where it contains itself, also through allOf", async () => {
    const child = { allOf: [ref("Tree"), { required: ["name"] }] };
    const { named } = await schemaOf(ref("Tree"), { Tree: { properties: { child } } });
    expect(named["Tree"]?.properties).toEqual({ child: { $ref: "#/schemas/Tree_child" } });
    expect(named["Tree_child"]).toMatchObject({ required: ["name"] });
  });

  it("is written once where many schemas would double what they name", async () => {
    const level = (index: number): object => ({
      properties: Object.fromEntries(
        ["a", "b"].map((name) => [name, { allOf: [ref(`L${index - 1}`)], required: [name] }]),
      ),
    });
    const levels = Array.from({ length: 60 }, (_, index) => [`L${index + 1}`, level(index + 1)]);
    const all = { L0: { properties: {} }, ...(Object.fromEntries(levels) as object) };
    const { named } = await schemaOf(ref("L60"), all);
    expect(JSON.stringify(named).length).toBeLessThan(1_000_000);
  });

  it("keeps members that are named like those of prototypes", async () => {
    const text = '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"null"}}}';
    const { schema } = await schemaOf(JSON.parse(text));
    expect(Object.keys(schema?.properties ?? {})).toEqual(["__proto__", "constructor"]);
  });

  it("may be named like a member of prototypes, and by an anchor", async () => {
    const named = { constructor: { type: "string" }, other: { $anchor: "here", type: "null" } };
    const { named: schemas } = await schemaOf(
      { properties: { a: ref("constructor"), b: { $ref: "#here" } } },
      named,
    );
    expect({ ...schemas }).toEqual({ constructor: { type: "string" }, here: { type: "null" } });
  });

  it.each([
    [{ type: "string", allOf: [{ type: "null" }] }],
    [{ enum: ["a"], allOf: [{ enum: ["b"] }] }],
    [false],
  ])("accepts nothing if its parts contradict each other: %j", async (contradiction) => {
    expect((await schemaOf(contradiction)).schema).toEqual({ not: {} });
  });
});

/** A list of nine times the list before it. */
const alias = (name: string): string => {
  const before = String.fromCharCode(name.charCodeAt(0) - 1);
  return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
};

const refusal = (file: string): Promise<unknown> =>
  readDocument(file).catch((reason: unknown) => reason);
const withCode = (code: string, part: string) => ({
  code: `CS_DOCUMENT_${code}`,
  message: expect.stringContaining(part) as unknown,
});

describe("readDocument refuses", () => {
  const deep = (keyword: string, open: string, close: string): string =>
    JSON.stringify(body("HERE")).replace(
      '"HERE"',
      `${`{"${keyword}":${open}`.repeat(20_000)}{}${`${close}}`.repeat(20_000)}`,
    );
  const multiplied = ["a: &a [x,x,x,x,x,x,x,x,x]", ..."b c d e f g h i".split(" ").map(alias)].join(
    "\n",
  );
  const circle = body(ref("A"), { A: ref("B"), B: ref("A") });
  const own = body(ref("A"), { A: { allOf: [ref("A"), {}] } });
  const big = `{"a":"${"a".repeat(50_000_000)}"}`;
  it.each([
    ["broken JSON", "{", "UNREADABLE", "a.json is not JSON: "],
    ["Swagger 2.0", { swagger: "2.0" }, "UNSUPPORTED", '"2.0"'],
    ["AsyncAPI 1", { asyncapi: "1.2.0" }, "UNSUPPORTED", '"1.2.0"'],
    ["3.0 without webhooks", { openapi: "3.0.0", paths: {} }, "NO_EVENTS", "x-webhooks"],
    ["a remote $ref", body({ $ref: "https://a.test/b" }), "REFERENCE_REMOTE", "https://a.test/b"],
    ["a $ref out of the folder", body({ $ref: "../b.json" }), "REFERENCE_OUTSIDE", "../b.json"],
    ["a dangling $ref", body(ref("Nope")), "REFERENCE_DANGLING", "Nope"],
    [
      "a dangling mapping of a discriminator",
      body(
        { oneOf: [ref("A")], discriminator: { propertyName: "k", mapping: { "a/b": "Nope" } } },
        { A: {} },
      ),
      "REFERENCE_DANGLING",
      '/discriminator/mapping/a~1b: discriminator mapping "#/components/schemas/Nope" leads nowhere',
    ],
    ["a $ref to a prototype", body(ref("__proto__")), "REFERENCE_DANGLING", "__proto__"],
    ["a $ref to itself", circle, "REFERENCE_CIRCULAR", "schemas/A"],
    ["an allOf of itself", own, "REFERENCE_CIRCULAR", "schemas/A"],
    [
      "a number as a schema",
      body({ properties: { a: 5 } }),
      "INVALID",
      "properties/a: expected a schema",
    ],
    ["20,000 levels", deep("items", "", ""), "TOO_LARGE", "deep"],
    ["20,000 levels of allOf", deep("allOf", "[{},", "]"), "TOO_LARGE", "deep"],
    ["50 MB", big, "TOO_LARGE", "32 MiB"],
  ])("%s", async (_what, content, code, part) => {
    const error = await refusal(written({ "a.json": content }));
    expect(error).toMatchObject(withCode(code, part));
    expect(String(error)).not.toContain("\n");
  });

  it("a missing file", async () => {
    const error = withCode("UNREADABLE", "missing.json not found");
    expect(await refusal("missing.json")).toMatchObject(error);
  });

  it.each([
    ["broken YAML", "a: [1\nb: }", "at line 2, column 1"],
    ["aliases that multiply", multiplied, "alias"],
  ])("%s", async (_what, text, part) => {
    const error = withCode("UNREADABLE", part);
    const refused = await refusal(written({ "a.yaml": text }));
    expect(refused).toMatchObject(error);
    expect(String(refused)).not.toContain("\n");
  });

  it("a link that leads out of the folder", async () => {
    const file = written({ "a.json": body({ $ref: "b.json" }) });
    symlinkSync(written({ "c.json": {} }), join(dirname(file), "b.json"));
    expect(await refusal(file)).toMatchObject(withCode("REFERENCE_OUTSIDE", "is out of"));
  });
});
