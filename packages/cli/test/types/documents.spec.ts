import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { ran } from "../ran.ts";
import { compilerOutput, compileTypeScript, imported, written } from "./compile.ts";
import { eventBody, openApi } from "./openapi.ts";

const text = { type: "string" };

/** Two types, of which one has two forms that a member distinguishes. */
const orders = (): string =>
  openApi({
    "order.placed": eventBody("order.placed", { type: "object", properties: { total: text } }),
    "order.changed": {
      oneOf: ["shipped", "returned"].map((kind) => ({
        type: "object",
        required: ["id", "type", "kind", kind],
        properties: {
          id: text,
          type: { const: "order.changed" },
          kind: { const: kind },
          [kind]: text,
        },
      })),
    },
  });

/** Webhooks as GitHub describes them: the type is in a header, whose value only the key shows, and in the body. */
const issues = (): string =>
  openApi(
    Object.fromEntries(
      ["opened", "closed_by_bot"].map((action) => [
        `issues-${action.replaceAll("_", "-")}`,
        {
          type: "object",
          required: ["action"],
          properties: { action: { const: action }, number: { type: "integer" } },
        },
      ]),
    ),
    { parameters: [{ name: "X-GitHub-Event", in: "header", required: true, schema: text }] },
  );

// Compilers start slowly on a busy machine.
describe("the types of an OpenAPI document", { timeout: 600_000 }, () => {
  it(
    "are a union that a switch exhausts, also of the forms of a body",
    { tags: "ci" },
    async () => {
      const events = await written("typescript", orders());
      const use = join(dirname(events), "use.ts");
      writeFileSync(
        use,
        `import type { EventTypeMap, WebhookEvent } from "./events.ts";
export function textOf(event: WebhookEvent): string | undefined {
  switch (event.type) {
    case "order.placed": return event.data.total;
    case "order.changed": return event.kind === "shipped" ? event.shipped : event.returned;
    default: return event satisfies never;
  }
}
export const changed: EventTypeMap["order.changed"]["id"] = "1";
`,
      );
      expect(compileTypeScript(use)).toBe("");
    },
  );

  it("take the type from the caller where the body does not have it", async () => {
    const events = await written("typescript", issues(), "--provider", "github");
    const use = join(dirname(events), "use.ts");
    writeFileSync(
      use,
      `import { parseEvent } from "./events.ts";
const event = parseEvent("issues.opened", "{}");
export const number: number | undefined = event?.type === "issues.opened" ? event.body.number : undefined;
`,
    );
    expect(compileTypeScript(use)).toBe("");
    const { parseEvent } = await imported(events);
    const body = { action: "closed_by_bot", number: 7 };
    const type = "issues.closed_by_bot";
    expect(parseEvent(type, JSON.stringify(body))).toEqual({ type, body });
    expect(parseEvent("issues.added", "{}")).toBeUndefined();
  });

  it("have the type, and the id that all bodies have, next to a parsed event in Go and Java", async () => {
    const go = readFileSync(await written("go", orders()), "utf8");
    expect(go).toMatch(
      /type ParsedEvent struct \{\n\tType string\n\tID {3}string\n\tBody WebhookEvent\n\}/,
    );
    const java = await written("java", issues(), "--provider", "github");
    const event = readFileSync(join(java, "ParsedEvent.java"), "utf8");
    expect(event).toContain("record ParsedEvent(String type, WebhookEvent body)");
  });
});

describe("the numbers of a TypeScript event", () => {
  /** Prints a document's types, compiles them with `use` of the event's data, and imports them. */
  async function parserOf(document: string, use: string) {
    const events = await written("typescript", document);
    const file = join(dirname(events), "use.ts");
    const data =
      'import type { EventTypeMap } from "./events.ts";\ndeclare const data: EventTypeMap["invoice.paid"]["data"];\n';
    writeFileSync(file, `${data}${use}`);
    expect(compileTypeScript(file)).toBe("");
    return (await imported(events)).parseEvent;
  }

  it("are those that the type of the guide's event declares", async () => {
    const guide = new URL("../../../../docs/guides/other-providers.md", import.meta.url);
    const blocks = readFileSync(guide, "utf8").matchAll(/```json\n(.*?)```/gs);
    const [, document = ""] = Array.from(blocks, ([, one = ""]) => one);
    const file = join(temporaryFolder(), "openapi.json");
    writeFileSync(file, document);
    const parse = await parserOf(file, "export const total: number = data.total;\n");
    const event = {
      id: "1",
      type: "invoice.paid",
      created_at: "",
      data: { invoiceId: "a", total: 1050 },
    };
    expect(parse(JSON.stringify(event))?.["data"]).toEqual({ invoiceId: "a", total: 1050 });
  });

  it("are exact decimals, and numbers where its schema has integers", async () => {
    const amount = { type: "number", minimum: 0, maximum: 100_000 };
    const properties = {
      total: amount,
      count: { type: "integer" },
      parts: { type: "array", maxItems: 9, items: amount },
    };
    const data = { type: "object", required: ["total", "count"], properties };
    const parse = await parserOf(
      openApi({ "invoice.paid": eventBody("invoice.paid", data) }),
      `import type { Decimal } from "./events.ts";
export const decimals: (Decimal | undefined)[] = [data.total, data.parts![0]!];
export const count: number = data.count;
`,
    );
    const body = `{"type":"invoice.paid","data":{"total":10.50,"count":3,"parts":[0.12345678901234567890,2.00,9007199254740993]}}`;
    expect(parse(body)?.["data"]).toEqual({
      total: "10.50",
      count: 3,
      parts: ["0.12345678901234567890", 2, "9007199254740993"],
    });
  });
});

it("a catalogue of an OpenAPI document judges each form of a body, and accepts additions", async () => {
  const out = join(temporaryFolder(), "catalogue.ts");
  const args = ["--language", "typescript", "--validators", "--openapi", orders(), "--out", out];
  expect(await ran(["types", ...args])).toMatchObject({ status: 0, err: "" });
  const { catalogue } = await imported(out);
  const changed = { id: "1", type: "order.changed", kind: "shipped" };
  const validate = catalogue.events["order.changed"]?.validate;
  expect(validate?.({ ...changed, shipped: "now", added: 1 })).toMatchObject({ ok: true });
  expect(validate?.(changed)).toMatchObject({
    ok: false,
    errors: [{ pointer: "/shipped", keyword: "required" }],
  });
});

describe("countersign types ends with one sentence and status 2", () => {
  const refused = async (...args: readonly string[]): Promise<string> => {
    const { status, out, err } = await ran(["types", ...args]);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err.split("\n").length).toBeLessThan(4);
    return err;
  };
  const to = (name = "events.ts"): string[] => ["--out", join(temporaryFolder(), name)];

  it("for an unknown language", async () => {
    expect(await refused("--language", "cobol", ...to())).toMatch(/typescript, python, go, java/i);
  });

  it("for a document that is not there, has no event, or is something else", async () => {
    const types = ["--language", "go", ...to()];
    expect(await refused(...types, "--openapi", "gone.yaml")).toContain("CS_DOCUMENT_UNREADABLE");
    expect(await refused(...types, "--openapi", openApi({}))).toContain("CS_DOCUMENT_NO_EVENTS");
    const other = join(temporaryFolder(), "a.json");
    writeFileSync(other, '{"swagger":"2.0"}');
    expect(await refused(...types, "--openapi", other)).toContain("CS_DOCUMENT_UNSUPPORTED");
  });

  it("for a body that is a list, in languages whose events are objects", async () => {
    const list = openApi({ batch: { type: "array", items: text } });
    expect(await refused("--language", "java", ...to("java"), "--openapi", list)).toContain(
      "batch",
    );
    await written("typescript", list);
  });

  it("for a file instead of a folder, and a folder instead of a file", async () => {
    const folder = temporaryFolder();
    expect(await refused("--language", "go", "--out", folder)).toContain("as a file");
    const file = join(folder, "file");
    writeFileSync(file, "");
    expect(await refused("--language", "java", "--out", file)).toContain("as a folder");
  });
});

it("a body without any type is unknown in TypeScript, and any object elsewhere", async () => {
  const document = openApi({ ping: {}, pong: { type: "object" } });
  const events = await written("typescript", document);
  expect(readFileSync(events, "utf8")).toMatch(/PingEvent/);
  expect(compileTypeScript(events)).toBe("");
  const python = await written("python", document);
  expect(compilerOutput("python3", ["-W", "error", python])).toBe("");
});

it("an invalid schema is refused with its code when validators are compiled", async () => {
  const data = { type: "object", properties: { orderId: { type: "string", maxLength: 2.5 } } };
  const document = openApi({ "order.placed": eventBody("order.placed", data) });
  const out = ["--out", join(temporaryFolder(), "catalogue.ts")];
  const args = ["types", "--language", "typescript", "--validators", "--openapi", document, ...out];
  const { status, err } = await ran(args);
  expect([status, err]).toEqual([2, expect.stringContaining("CS_DOCUMENT_INVALID")]);
  expect(err).toContain("maxLength must be integer");
});

it("validators compare objects and lists by their values", async () => {
  const several = { type: "array", uniqueItems: true };
  const body = eventBody("a", {
    type: "object",
    properties: { several, one: { enum: [{}, [1]] } },
  });
  const { catalogue } = await imported(
    await written("typescript", openApi({ a: body }), "--validators"),
  );
  const judge = (data: object) => catalogue.events["a"]?.validate({ id: "1", type: "a", data });
  expect(
    judge({
      several: [
        { a: 1, b: [] },
        { a: 1, b: [2] },
      ],
      one: [1],
    }),
  ).toMatchObject({ ok: true });
  expect(
    judge({
      several: [
        { a: 1, b: [] },
        { b: [], a: 1 },
      ],
    }),
  ).toMatchObject({ ok: false });
  expect(judge({ one: [2] })).toMatchObject({ ok: false });
});

it("Go breaks the line of a method where gofmt does", async () => {
  const [fits, breaks] = ["b".repeat(69), "c".repeat(70)];
  const events = await written("go", openApi({ [fits]: {}, [breaks]: {} }));
  const methods = readFileSync(events, "utf8").match(
    /^func \(\*\w+\) isWebhookEvent\(\) \{\n?\}$/gm,
  );
  expect(methods?.map((method) => method.includes("\n"))).toEqual([false, true]);
});
