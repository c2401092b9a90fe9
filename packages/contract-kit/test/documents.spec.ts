import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocument, type DocumentError } from "../src/documents/index.ts";
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
  const document = { ...body(schema, schemas), openapi: version };
  const { events, schemas: named } = await readDocument(written({ "a.json": document }));
  return { schema: events[0]?.schema, named };
};

describe("readDocument", () => {
  it("reads webhooks with headers, media type, examples and statuses", async () => {
    const webhook = posted(ref("Paid"), {
      parameters: [{ name: "X-Signature", in: "header", required: true, schema: {} }],
    });
    const paid = { type: "object", properties: { id: { type: "string" } } };
    const document = openApi({ paid: webhook }, { Paid: paid });
    const { title, events, schemas } = await readDocument(written({ "a.json": document }));
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

  it.each([
    [
      "OpenAPI 3.2 in YAML",
      "a.yaml",
      "openapi: 3.2.0\nwebhooks:\n  paid:\n    post: &post\n      requestBody: {content: {application/json: {schema: {type: object}}}}\n",
    ],
    [
      "OpenAPI 3.0 with x-webhooks",
      "a.json",
      { openapi: "3.0.3", "x-webhooks": { paid: posted({}) } },
    ],
    [
      "OpenAPI 3.0 with a callback",
      "a.json",
      {
        openapi: "3.0.0",
        paths: {
          "/pay": { post: { callbacks: { paid: { "{$request.body#/url}": posted({}) } } } },
        },
      },
    ],
    [
      "AsyncAPI 3",
      "a.yml",
      "asyncapi: 3.0.0\nchannels:\n  c:\n    messages:\n      paid: {payload: {type: object}}\n",
    ],
  ])("reads %s", async (_what, name, content) => {
    const { events } = await readDocument(written({ [name]: content }));
    expect(events.map((event) => event.name)).toEqual(["paid"]);
  });

  it("reads the schemas below events/ of a folder, with the files that they refer to", async () => {
    const events = { "paid.schema.json": { properties: { by: { $ref: "../payer.schema.json" } } } };
    const file = written({
      "payer.schema.json": { type: "string" },
      "events/paid.schema.json": events["paid.schema.json"],
    });
    const document = await readDocument(dirname(file));
    expect(document.events.map(({ name, schema }) => [name, schema])).toEqual([
      ["paid", { $ref: "#/schemas/paid" }],
    ]);
    expect(Object.keys(document.schemas)).toEqual(["paid", "payer"]);
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

describe("the type of an event", () => {
  const kind = (values: readonly string[]): object => ({ properties: { type: { enum: values } } });
  const named = async (webhooks: object, eventType?: string) => {
    const file = written({ "a.json": openApi(webhooks) });
    const { events } = await readDocument(file, { eventType });
    return events.map(({ name, typeAt }) => `${name} ${typeAt ?? ""}`);
  };

  it("is the one value of a member that differs in each webhook", async () => {
    const object = { const: "event" };
    const of = (type: string): object =>
      posted({ properties: { object, meta: { properties: { name: { const: type } } } } });
    expect(await named({ a: of("a.paid"), b: of("b.paid") })).toEqual([
      "a.paid body:/meta/name",
      "b.paid body:/meta/name",
    ]);
  });

  it("is the listed value that is spelled like the webhook's key", async () => {
    const both = posted(kind(["payment.created", "payment.failed"]));
    const types = await named({ paymentCreated: both, paymentFailed: both });
    expect(types).toEqual(["payment.created body:/type", "payment.failed body:/type"]);
  });

  it("is the one value of a required header", async () => {
    const of = (type: string): object =>
      posted(
        {},
        {
          parameters: [{ name: "X-Event", in: "header", required: true, schema: { const: type } }],
        },
      );
    expect(await named({ a: of("push"), b: of("ping") })).toEqual([
      "push header:x-event",
      "ping header:x-event",
    ]);
  });

  it("is the key, without a slash before it, of the one webhook that has no type", async () => {
    const types = await named({
      a: posted(kind(["a.paid"])),
      b: posted(kind(["b.paid"])),
      "/C_PAID": posted({}),
    });
    expect(types).toEqual(["a.paid body:/type", "b.paid body:/type", "C_PAID "]);
  });

  it("is the webhook's key without such a place, also for a chosen place without values", async () => {
    expect(await named({ a: posted({}) })).toEqual(["a "]);
    expect(await named({ a: posted({}) }, "header:X-Event")).toEqual(["a header:x-event"]);
    expect(await named({ a: posted(kind(["x"])) }, "/type")).toEqual(["x body:/type"]);
  });

  it("narrows a schema that lists the types of several webhooks", async () => {
    const both = posted(kind(["a", "b"]));
    const { events } = await readDocument(written({ "a.json": openApi({ a: both, b: both }) }));
    expect(events.map(({ schema }) => schema.properties?.["type"])).toEqual([
      { const: "a" },
      { const: "b" },
    ]);
  });
});

describe("a schema of a document", () => {
  it("has allOf and the siblings of $ref merged", async () => {
    const base = {
      type: "object",
      properties: { n: { type: "number", minimum: 1 } },
      required: ["n"],
    };
    const { schema } = await schemaOf(
      {
        allOf: [ref("Base"), { properties: { n: { type: "integer", minimum: 0 }, m: true } }],
        required: ["m"],
      },
      { Base: base },
    );
    expect(schema).toEqual({
      type: "object",
      required: ["m", "n"],
      properties: { n: { type: "integer", minimum: 1 }, m: {} },
    });
  });

  it("keeps a second pattern in allOf", async () => {
    const { schema } = await schemaOf({ pattern: "^a", allOf: [{ pattern: "b$" }] });
    expect(schema).toEqual({ pattern: "^a", allOf: [{ pattern: "b$" }] });
  });

  it("stays a reference if only annotations are next to it", async () => {
    const next = { description: "d", deprecated: true, "x-more": 1 };
    const { schema } = await schemaOf({ allOf: [ref("A")], ...next }, { A: {} });
    expect(schema).toEqual({ $ref: "#/schemas/A", description: "d", deprecated: true });
  });

  it("has a type if it has properties or items", async () => {
    const { schema } = await schemaOf({ properties: { list: { items: {} } } });
    const list = { type: "array", items: {} };
    expect(schema).toEqual({ type: "object", properties: { list } });
  });

  it.each([
    [{ type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      { type: "string", nullable: true, enum: ["a"] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [{ nullable: true, allOf: [ref("A")] }, { anyOf: [{ $ref: "#/schemas/A" }, { type: "null" }] }],
    [{ type: ["null"], allOf: [ref("A")] }, { anyOf: [{ $ref: "#/schemas/A" }, { type: "null" }] }],
    [{ minimum: 3, exclusiveMinimum: true }, { exclusiveMinimum: 3 }],
    [{ example: "x" }, { examples: ["x"] }],
  ])("is translated from OpenAPI 3.0: %j", async (old, now) => {
    expect((await schemaOf(old, { A: {} }, "3.0.3")).schema).toEqual(now);
  });

  it("has the discriminator's value in each kind", async () => {
    const kind = { type: "object", properties: { k: { type: "string" } } };
    const discriminator = { propertyName: "k", mapping: { cat: "#/components/schemas/Cat" } };
    const { schema } = await schemaOf(
      { oneOf: [ref("Cat"), ref("Dog")], discriminator },
      { Cat: kind, Dog: kind },
    );
    expect(
      schema?.oneOf?.map(({ title, properties }) => [title, properties?.["k"]?.const]),
    ).toEqual([
      ["Cat", "cat"],
      ["Dog", "Dog"],
    ]);
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

  it("ignores a type that JSON does not have", async () => {
    expect((await schemaOf({ type: "file" })).schema).toEqual({});
  });

  it("loses keywords that refuse nothing", async () => {
    const extended = { "x-internal": true, readOnly: true, type: "string" };
    const { schema } = await schemaOf({ properties: { a: extended } });
    expect(schema?.properties).toEqual({ a: { type: "string" } });
  });
});

/** A list of nine times the list before it. */
const alias = (name: string): string => {
  const before = String.fromCharCode(name.charCodeAt(0) - 1);
  return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(",")}]`;
};

describe("readDocument refuses", () => {
  const deep = (keyword: string, open: string, close: string): string =>
    JSON.stringify(body("HERE")).replace(
      '"HERE"',
      `${`{"${keyword}":${open}`.repeat(20_000)}{}${`${close}}`.repeat(20_000)}`,
    );
  const multiplied = ["a: &a [x,x,x,x,x,x,x,x,x]", ..."b c d e f g h i".split(" ").map(alias)].join(
    "\n",
  );
  it.each([
    [
      "a missing file",
      "missing.json",
      undefined,
      "CS_DOCUMENT_UNREADABLE",
      "missing.json not found",
    ],
    ["broken JSON", "a.json", "{", "CS_DOCUMENT_UNREADABLE", "a.json is not JSON: "],
    ["broken YAML", "a.yaml", "a: [1\nb: }", "CS_DOCUMENT_UNREADABLE", "at line 2, column 1"],
    ["aliases that multiply", "a.yaml", multiplied, "CS_DOCUMENT_UNREADABLE", "alias"],
    ["Swagger 2.0", "a.json", { swagger: "2.0" }, "CS_DOCUMENT_UNSUPPORTED", '"2.0"'],
    ["AsyncAPI 2", "a.json", { asyncapi: "2.6.0" }, "CS_DOCUMENT_UNSUPPORTED", '"2.6.0"'],
    [
      "3.0 without webhooks",
      "a.json",
      { openapi: "3.0.0", paths: {} },
      "CS_DOCUMENT_NO_EVENTS",
      "x-webhooks",
    ],
    [
      "a remote $ref",
      "a.json",
      body({ $ref: "https://a.test/b.json" }),
      "CS_DOCUMENT_REFERENCE_REMOTE",
      "https://a.test/b.json",
    ],
    [
      "a $ref out of the folder",
      "a.json",
      body({ $ref: "../b.json" }),
      "CS_DOCUMENT_REFERENCE_OUTSIDE",
      "../b.json",
    ],
    ["a dangling $ref", "a.json", body(ref("Nope")), "CS_DOCUMENT_REFERENCE_DANGLING", "Nope"],
    [
      "a $ref to a prototype",
      "a.json",
      body(ref("__proto__")),
      "CS_DOCUMENT_REFERENCE_DANGLING",
      "__proto__",
    ],
    [
      "a $ref to itself",
      "a.json",
      body(ref("A"), { A: ref("B"), B: ref("A") }),
      "CS_DOCUMENT_REFERENCE_CIRCULAR",
      "schemas/A",
    ],
    [
      "an allOf of itself",
      "a.json",
      body(ref("A"), { A: { allOf: [ref("A"), {}] } }),
      "CS_DOCUMENT_REFERENCE_CIRCULAR",
      "schemas/A",
    ],
    [
      "a number as a schema",
      "a.json",
      body({ properties: { a: 5 } }),
      "CS_DOCUMENT_INVALID",
      "properties/a: expected a schema",
    ],
    ["20,000 levels", "a.json", deep("items", "", ""), "CS_DOCUMENT_TOO_LARGE", "deep"],
    [
      "20,000 levels of allOf",
      "a.json",
      deep("allOf", "[{},", "]"),
      "CS_DOCUMENT_TOO_LARGE",
      "deep",
    ],
    ["50 MB", "a.json", `{"a":"${"a".repeat(50_000_000)}"}`, "CS_DOCUMENT_TOO_LARGE", "32 MiB"],
  ])("%s", async (_what, name, content, code, part) => {
    const file = content === undefined ? name : written({ [name]: content });
    const { code: got, message } = await readDocument(file).then(
      () => expect.unreachable(),
      (error: unknown) => error as DocumentError,
    );
    expect(got).toBe(code);
    expect(message).toContain(part);
    expect(message).not.toContain("\n");
  });

  it("a link that leads out of the folder", async () => {
    const file = written({ "a.json": body({ $ref: "b.json" }) });
    symlinkSync(written({ "c.json": {} }), join(dirname(file), "b.json"));
    await expect(readDocument(file)).rejects.toMatchObject({
      code: "CS_DOCUMENT_REFERENCE_OUTSIDE",
    });
  });
});
