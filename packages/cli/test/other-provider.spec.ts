import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import type { Catalogue } from "@countersign/schemas";
import { providerOf } from "@countersign/schemas/provider-of";
import { reference } from "@countersign/schemas/providers";
import { expect, it, onTestFinished } from "vitest";
import { makeEffects } from "../../contract-kit/test/receiver/make-effects.ts";
import { listen } from "../../sandbox/test/listen.ts";
import { loadProfile } from "../src/profile.ts";
import { call } from "./service-data.ts";
import { SECRET } from "./fixtures.ts";
import { ran, serveHere, told } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

type Shown = { readonly id: string; readonly type: string; readonly category: string };
type Types = Record<string, Shown>;

/** A schema whose money is in another file, behind a reference in that file. */
const schemaOf = (id: string, more: object = {}) => ({
  type: "object",
  additionalProperties: false,
  required: [id, "total", "currency", ...Object.keys(more)],
  properties: {
    [id]: { type: "string", minLength: 3, maxLength: 40, pattern: "^[a-z0-9_-]+$" },
    total: { $ref: "../shared/money.json#/$defs/total", description: "In cents." },
    currency: { $ref: "../shared/money.json#/$defs/currency" },
    ...more,
  },
});
const schemas = {
  "order.placed": schemaOf("orderId"),
  "order.shipped": schemaOf("orderId", { carrier: { type: "string", maxLength: 40 } }),
  "invoice.paid": schemaOf("invoiceId"),
};

/** The folder of a provider of orders and invoices: three schemas, which share a part, and a sample of one: the others are made from their schemas. */
function shop(): string {
  const folder = temporaryFolder();
  const write = (path: string, value: object): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  write("profile.json", {
    name: "shop",
    provider: "provider.json",
  });
  write("provider.json", {
    ...reference,
    name: "shop",
    title: "Shop",
    event: {
      id: "body:/id",
      type: "body:/type",
      category: "body:/topic",
      time: { at: "body:/at", unit: "iso" },
      data: "body:/object",
    },
    catalogue: [
      { type: "order.placed", category: "ORDER", resource: "body:/object/orderId" },
      { type: "order.shipped", category: "ORDER", resource: "body:/object/orderId" },
      { type: "invoice.paid", category: "INVOICE", resource: "body:/object/invoiceId" },
    ],
  });
  write("shared/money.json", {
    $defs: {
      total: { $ref: "#/$defs/cents" },
      cents: { type: "integer", minimum: 1, maximum: 1_000_000 },
      currency: { type: "string", enum: ["EUR", "CHF"], "x-open": true },
    },
  });
  for (const [type, schema] of Object.entries(schemas)) write(`events/${type}.schema.json`, schema);
  write("samples/order.shipped.json", {
    id: "evt_1",
    type: "order.shipped",
    topic: "X",
    at: "2026-11-21T09:30:00.000Z",
    object: { orderId: "ord_1", total: 1999, currency: "EUR", carrier: "Grüezi" },
  });
  return folder;
}

// Within the workspace, where @countersign/receiver is found.
const output = fileURLToPath(new URL("output/shop", import.meta.url));
it(
  "a provider's own categories, events, schemas and samples go through types, createReceiver, send, verify receiver and sandbox",
  { tags: "ci" },
  async () => {
    const profile = shop();
    onTestFinished(() => rmSync(output, { recursive: true, force: true }));
    mkdirSync(output, { recursive: true });
    const out = join(output, "catalogue.ts");
    const types = ["types", "--language", "typescript", "--out", out, "--profile", profile];
    expect(await ran([...types, "--validators"])).toMatchObject({ status: 0 });
    expect(readFileSync(out, "utf8")).toMatch(/interface OrderShippedEvent[\s\S]*carrier/);
    // The module that was just written has this member.
    const { catalogue } = (await import(pathToFileURL(out).href)) as {
      catalogue: Catalogue<Types>;
    };

    const done: string[] = [];
    const effects = makeEffects({ handlerMs: 0 });
    const handle = async (event: Shown): Promise<void> => {
      await effects.handle({ ...event, data: undefined });
      done.push(event.type);
    };
    const receiver = createReceiver({
      secrets: [SECRET],
      catalogue,
      provider: providerOf(await loadProfile(profile)),
      inbox: memoryInbox(),
      log: false,
      fallback: () => {},
    })
      .on("ORDER", handle)
      .on("invoice.paid", handle);
    const receive = toNode(receiver);
    const url = await listen((request, response) => {
      if (request.url === "/effects") void effects.answer(request, response);
      else void receive(request, response);
    });
    const env = { COUNTERSIGN_SECRET: SECRET };
    const at = ["--url", `${url}/hooks`, "--profile", profile];

    for (const type of Object.keys(schemas))
      expect(await ran(["send", type, ...at], env)).toMatchObject({ status: 0, err: "" });
    expect(done).toEqual(Object.keys(schemas));

    const verify = ["verify", "receiver", ...at, "--effects-url", `${url}/effects`, "--json"];
    const verified = await ran(verify, env);
    expect([verified.status, verified.err]).toEqual([0, expect.any(String)]);

    const database = join(temporaryFolder(), "sandbox.db");
    const own = ["--port", "0", "--database", database, "--profile", profile];
    const sandbox = await serveHere(["sandbox", ...own, "--examples"]);
    const asked = (path: string, body?: object) =>
      call(sandbox.url, told(sandbox, "API token"), path, body);
    const details = (named: string) => ({
      url: `${url}/hooks`,
      secretKey: SECRET,
      subscriptionDetails: { type: "CATEGORY", details: [named] },
    });
    expect((await asked("/v1/webhook/subscribe", details("PAYMENT"))).status).toBe(400);
    expect((await asked("/v1/webhook/subscribe", details("ORDER"))).status).toBe(200);
    const before = done.length;
    const sent = await asked("/sandbox/events", { type: "order.shipped" });
    expect(sent.text).toContain("order.shipped");
    await expect.poll(() => done.length).toBe(before + 1);
    const { text: described } = await asked("/openapi.json");
    expect(described).toContain('"carrier"');
    expect(described).not.toMatch(/\/v1\/refunds|\/v1\/customers/);
    for (const path of ["/v1/customers/cus_1", "/sandbox/payments"])
      expect((await asked(path)).status).toBe(404);
    expect((await asked("/v1/refunds", {})).status).toBe(404);
    const needsPayments = { state: "a payment", params: { status: "settled" } };
    expect((await asked("/sandbox/states", needsPayments)).text).toContain("STATE_NOT_FOUND");
    const faults = [{ route: "POST /v1/refunds", kind: "reset" }];
    const token = told(sandbox, "API token");
    const faulty = await call(sandbox.url, token, "/sandbox/faults", { faults }, "PUT");
    expect(faulty.text).toContain("must be one of POST /v1/webhook/subscribe,");
    expect(sandbox.stderr()).toContain(`'{"type":"order.placed"}' ${sandbox.url}/sandbox/events`);
    expect(sandbox.stderr()).not.toMatch(/payments|refunds|sample data/);

    const provider = ["verify", "provider", "--url", sandbox.url, "--profile", profile];
    const only = ["P-AUTH-BEARER", "P-EVENT-SCHEMA", "P-REFUND-KEY"].flatMap((id) => [
      "--only",
      id,
    ]);
    const checked = await ran([...provider, "--runs", "1", ...only], { COUNTERSIGN_TOKEN: token });
    expect([checked.status, checked.err]).toEqual([0, expect.any(String)]);
    expect(checked.out).toContain("PASS: nothing fails (2 pass)");
    expect(checked.out).toMatch(/note: \d\d requirements need payments .* shop has no payments\./);
  },
);

it.each([
  ["to a file that is not there", "missing.json", /missing\.json cannot be read as JSON/],
  ["to a part that is not there", "#/$defs/none", /\$ref #\/\$defs\/none leads to no schema/],
  ["out of the folder", "../../secret.json", /leads out of the profile's folder/],
  ["back to itself", "#", /leads back to itself/],
])("refuses a reference of an event's schema %s", async (_what, $ref, message) => {
  const profile = shop();
  const schema = { type: "object", properties: { orderId: { $ref } } };
  writeFileSync(join(profile, "events", "order.placed.schema.json"), JSON.stringify(schema));
  await expect(loadProfile(profile)).rejects.toThrow(message);
});

/** A schema whose references double their target 14 times. */
const laughs = {
  type: "object",
  properties: { orderId: { $ref: "#/$defs/14" } },
  $defs: Object.fromEntries(
    Array.from({ length: 15 }, (_, level) => {
      const $ref = `#/$defs/${String(level - 1)}`;
      return [level, level === 0 ? { type: "null" } : { properties: { a: { $ref }, b: { $ref } } }];
    }),
  ),
};
const withId = (orderId: object): object => ({ type: "object", properties: { orderId } });

it.each([
  ["that grows without end", laughs, /more than 20000 parts/],
  [
    "of a text of a gigabyte",
    withId({ type: "string", minLength: 1e9 }),
    /minLength is not from 0 to 100000/,
  ],
  ["of a text of negative length", withId({ type: "string", minLength: -1 }), /minLength/],
  [
    "of a list of a thousand million",
    withId({ type: "array", items: {}, minItems: 1e9 }),
    /minItems/,
  ],
  [
    "with a broken pattern",
    withId({ type: "string", pattern: "^(" }),
    /Invalid regular expression/,
  ],
])("refuses an event's schema %s", async (_what, schema, message) => {
  const profile = shop();
  writeFileSync(join(profile, "events", "order.placed.schema.json"), JSON.stringify(schema));
  const loaded = loadProfile(profile).then(() => "accepted");
  await expect(loaded).rejects.toThrow(message);
  await expect(loaded).rejects.toMatchObject({ code: "CS_CLI_PROFILE_UNUSABLE" });
});

it("countersign types --validators refuses an invalid schema with its code", async () => {
  const profile = shop();
  const schema = withId({ type: "string", maxLength: 2.5 });
  writeFileSync(join(profile, "events", "order.placed.schema.json"), JSON.stringify(schema));
  const out = join(profile, "catalogue.ts");
  const args = ["--language", "typescript", "--validators", "--profile", profile, "--out", out];
  const { status, err } = await ran(["types", ...args]);
  expect([status, err]).toEqual([2, expect.stringContaining("CS_DOCUMENT_INVALID")]);
  expect(err).toContain("maxLength must be integer");
});
