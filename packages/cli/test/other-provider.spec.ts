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

/** The data of an event, whose money is in another file, behind a reference in that file. */
const dataOf = (id: string, more: object = {}) => ({
  type: "object",
  additionalProperties: false,
  required: [id, "total", "currency", ...Object.keys(more)],
  properties: {
    [id]: { type: "string", minLength: 3, maxLength: 40, pattern: "^[a-z0-9_-]+$" },
    total: { $ref: "shared/money.json#/$defs/total", description: "In cents." },
    currency: { $ref: "shared/money.json#/$defs/currency" },
    ...more,
  },
});
const events = {
  "order.placed": dataOf("orderId"),
  "order.shipped": dataOf("orderId", { carrier: { type: "string", maxLength: 40 } }),
  "invoice.paid": dataOf("invoiceId"),
};
const shipped = {
  id: "evt_1",
  type: "order.shipped",
  topic: "X",
  at: "2026-11-21T09:30:00.000Z",
  object: { orderId: "ord_1", total: 1999, currency: "EUR", carrier: "Grüezi" },
};

/** A body as its provider writes it, with the schema of its data. */
const bodyOf = (type: string, object: object): object => ({
  type: "object",
  required: ["id", "type", "topic", "at", "object"],
  properties: {
    id: { type: "string" },
    type: { const: type },
    topic: { type: "string" },
    at: { type: "string", format: "date-time" },
    object,
  },
});

/**
 * The profile of a provider of orders and invoices, with a document of three events, which share a part, and an example of
 * one: the others are made from their schemas.
 */
function shop(datas: Readonly<Record<string, object>> = events, more: object = {}): string {
  const folder = temporaryFolder();
  const write = (path: string, value: object): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
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
  const webhooks = Object.entries(datas).map(([type, data]): [string, unknown] => {
    const media = {
      schema: bodyOf(type, data),
      ...(type === "order.shipped" && { example: shipped }),
    };
    return [type, { post: { requestBody: { content: { "application/json": media } } } }];
  });
  write("openapi.json", {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    webhooks: Object.fromEntries<unknown>(webhooks),
    ...more,
  });
  return write("profile.json", {
    name: "shop",
    provider: "provider.json",
    openapi: "openapi.json",
  });
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

    for (const type of Object.keys(events))
      expect(await ran(["send", type, ...at], env)).toMatchObject({ status: 0, err: "" });
    expect(done).toEqual(Object.keys(events));

    const some = ["--only", "R-VERIFY-RAW", "--only", "R-ONCE-DUPLICATE", "--json"];
    const verify = ["verify", "receiver", ...at, "--effects-url", `${url}/effects`, ...some];
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

/** Schemas whose references double their target 16 times. */
const laughs = Object.fromEntries(
  Array.from({ length: 17 }, (_, level) => {
    const $ref = `#/components/schemas/${String(level - 1)}`;
    return [level, level === 0 ? { type: "null" } : { properties: { a: { $ref }, b: { $ref } } }];
  }),
);

it.each([
  ["that refers to a file that is not there", { $ref: "missing.json" }, /missing\.json/],
  [
    "that leads out of the folder",
    { $ref: "../../secret.json" },
    /leads out of the document's folder/,
  ],
  [
    "that grows without end",
    { properties: { orderId: { $ref: "#/components/schemas/16" } } },
    /more than 20000 parts/,
  ],
])("a profile refuses an event's schema %s", async (_what, schema, message) => {
  const profile = shop({ "order.placed": schema }, { components: { schemas: laughs } });
  await expect(loadProfile(profile)).rejects.toThrow(message);
});

it("a profile's events may have recursive schemas", async () => {
  const tree = {
    type: "object",
    required: ["orderId"],
    properties: {
      orderId: { type: "string" },
      parts: { type: "array", items: { $ref: "#/components/schemas/Tree" } },
    },
  };
  const profile = shop(
    { "order.placed": { $ref: "#/components/schemas/Tree" } },
    { components: { schemas: { Tree: tree } } },
  );
  const [row] = providerOf(await loadProfile(profile)).catalogue ?? [];
  expect(row?.sample).toHaveProperty("orderId");
});

it("countersign types --validators refuses an invalid schema with its code", async () => {
  const profile = shop({
    "order.placed": { properties: { orderId: { type: "string", maxLength: 2.5 } } },
  });
  const out = join(dirname(profile), "catalogue.ts");
  const args = [
    "--language",
    "typescript",
    "--validators",
    "--openapi",
    join(dirname(profile), "openapi.json"),
    "--out",
    out,
  ];
  const { status, err } = await ran(["types", ...args]);
  expect([status, err]).toEqual([2, expect.stringContaining("CS_DOCUMENT_INVALID")]);
  expect(err).toContain("maxLength must be integer");
});
