import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { toNode } from "@countersign/receiver/node";
import { providersByName } from "@countersign/schemas/providers-by-name";
import { profiles } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { xSignature } from "@countersign/schemas/providers";
import { describe, expect, it } from "vitest";
import { listen } from "../../service/test/sandbox/listen.ts";
import { brokenAttempts } from "@countersign/contract-kit/attempts";
import { containing, openMerchant, SECRET } from "./fixtures.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ran, type Ran } from "./ran.ts";

const textSecret = "a-text-that-is-long-enough-to-be-a-key";
const env = { COUNTERSIGN_SECRET: SECRET };
const send = (type: string, url: string, ...more: readonly string[]): Promise<Ran> =>
  ran(["send", type, "--url", url, ...more], env);

/** A server that answers every request with one status and text. */
const answering = (status: number, body = ""): Promise<string> =>
  listen((request, response) => {
    request.resume().on("end", () => response.writeHead(status).end(body));
  });

/** A server that accepts every request and keeps its body. */
async function collecting(): Promise<{ readonly url: string; readonly bodies: readonly string[] }> {
  const bodies: string[] = [];
  const url = await listen((request, response) => {
    void text(request).then((body) => {
      bodies.push(body);
      response.writeHead(204).end();
    });
  });
  return { url, bodies };
}

describe("countersign send", () => {
  it("sends an event of every type that a receiver accepts, and exits with 0", async () => {
    const { url, seen } = await openMerchant([SECRET]);
    const types = sendingProviderOf(profiles.standard).catalogue.map(({ type }) => type);
    for (const type of types) {
      const { status, out } = await send(type, url);
      expect(out).toMatch(/^evt_[\w-]{12}_1 {2}attempt 1 {2}204 {2}\d+ ms\n$/);
      expect(status).toBe(0);
    }
    expect(seen).toEqual(types);
  });

  it("signs with the provider's scheme", async () => {
    const { url, seen } = await openMerchant([textSecret], "x-signature");
    const type = xSignature.catalogue?.[0]?.type ?? "";
    const args = ["send", type, "--url", url, "--provider", "x-signature"];
    const { status } = await ran(args, { COUNTERSIGN_SECRET: textSecret });
    expect({ status, seen }).toEqual({ status: 0, seen: [type] });
  });

  it.each([
    ["stripe", "charge.refunded", "whsec_a-secret-of-a-stripe-endpoint"],
    ["github", "issues.opened", textSecret],
    ["twilio", "message.received", textSecret],
    ["slack", "/deploy", textSecret],
    ["slack", "view_submission", textSecret],
    ["adyen-payments", "AUTHORISATION", "0123456789abcdef".repeat(4)],
  ])("sends an event of %s, %s, as a receiver for it expects", async (name, type, secret) => {
    const provider = providersByName.get(name);
    if (provider === undefined) throw new Error(`no provider ${name}`);
    const types: string[] = [];
    let receive: ReturnType<typeof toNode> | undefined;
    const origin = await listen((request, response) => void receive?.(request, response));
    const url = `${origin}/hooks?team=7`;
    const fallback = (_event: unknown, { event }: { readonly event: { readonly type: string } }) =>
      void types.push(event.type);
    receive = toNode(
      createReceiver({
        provider,
        secrets: [secret],
        fallback,
        inbox: memoryInbox(),
        log: false,
        ...(name === "twilio" && { url: `${origin}/hooks` }),
      }),
    );
    const args = ["send", type, "--provider", name, "--url", url];
    const { status } = await ran(args, { COUNTERSIGN_SECRET: secret });
    expect({ status, types }).toEqual({ status: 0, types: [type] });
    const forged = await ran([...args, "--broken", "wrong-secret"], { COUNTERSIGN_SECRET: secret });
    expect(forged).toMatchObject({ status: 0, out: containing(" 401 ") });
  });

  it.each([
    ["/deploy", "text=api", /^command=%2Fdeploy&trigger_id=[\w-]+&.*text=api$/],
    ["block_actions", "user.id=U1", /^payload=%7B.*%22user%22%3A%7B%22id%22%3A%22U1%22%7D%7D$/],
  ])("sends %s of Slack as a form, with the members of --set", async (type, set, form) => {
    const received: { readonly media: string | undefined; readonly body: string }[] = [];
    const url = await listen((request, response) => {
      void text(request).then((body) => {
        received.push({ media: request.headers["content-type"], body });
        response.writeHead(200).end();
      });
    });
    const args = ["send", type, "--provider", "slack", "--url", url, "--set", set];
    expect(await ran(args, { COUNTERSIGN_SECRET: textSecret })).toMatchObject({ status: 0 });
    const broken = await ran([...args, "--broken", "not-json"], { COUNTERSIGN_SECRET: textSecret });
    expect(broken).toMatchObject({ status: 2, err: containing("unsupported --broken not-json") });
    const media = "application/x-www-form-urlencoded";
    expect(received).toEqual([{ media, body: expect.stringMatching(form) as unknown }]);
  });

  it("prints the id that --set gives the event", async () => {
    const url = await listen((_request, response) => void response.writeHead(204).end());
    const args = ["send", "invoice.paid", "--provider", "stripe", "--url", url];
    const { out } = await ran([...args, "--set", "id=evt_mine"], {
      COUNTERSIGN_SECRET: "whsec_only_for_this_page",
    });
    expect(out).toMatch(/^evt_mine {2}attempt 1 {2}204 /);
  });

  it("names the secret's fingerprint below a refusal of a genuine attempt", async () => {
    const url = await listen((_request, response) => void response.writeHead(401).end());
    const args = ["send", "invoice.paid", "--provider", "stripe", "--url", url];
    const { out } = await ran(args, { COUNTERSIGN_SECRET: "whsec_only_for_this_page" });
    expect(out).toContain("\n  fingerprint of COUNTERSIGN_SECRET: fd605db761b4\n");
  });

  it("sends the example of an OpenAPI document, or a body that its schema describes", async () => {
    const bodies: unknown[] = [];
    const url = await listen((request, response) => {
      void json(request).then((body) => bodies.push(body) && response.writeHead(204).end());
    });
    const svix = fileURLToPath(
      new URL("../../../test/openapi/svix-3.0-x-webhooks.json", import.meta.url),
    );
    const adyen = fileURLToPath(
      new URL("../../../test/openapi/adyen-transfer-v4.json", import.meta.url),
    );
    const made = await send("endpoint.created", url, "--openapi", svix, "--provider", "svix");
    const example = await send("balancePlatform.transfer.created", url, "--openapi", adyen);
    expect([made, example]).toMatchObject([{ status: 0 }, { status: 0 }]);
    expect(bodies).toMatchObject([
      { type: "endpoint.created", data: { appId: "app_1srOrx2ZWZBpBUvZwXKQmoEYga2" } },
      {
        type: "balancePlatform.transfer.created",
        data: { amount: { currency: "EUR", value: 1000 } },
      },
    ]);
    const failed = await send("endpoint.creatd", url, "--openapi", svix);
    expect(failed).toMatchObject({ status: 2, err: containing("did you mean endpoint.created?") });
    const unknown = await send("refund", url, "--openapi", adyen);
    const types = "balancePlatform.transfer.created, balancePlatform.transfer.updated";
    const message = `adyen-transfer-v4.json has no event "refund"; expected one of ${types}\n`;
    expect(unknown).toMatchObject({ status: 2, err: containing(message) });
  });

  it("makes a body of the schema if it does not accept the document's example", async () => {
    const bodies: unknown[] = [];
    const url = await listen((request, response) => {
      void json(request).then((body) => bodies.push(body) && response.writeHead(204).end());
    });
    const properties = { a: { type: "string" } };
    const schema = { type: "object", properties, additionalProperties: false };
    const content = { "application/json": { schema, example: { a: 5 } } };
    const file = join(temporaryFolder(), "openapi.json");
    const webhooks = { paid: { post: { requestBody: { content } } } };
    writeFileSync(file, JSON.stringify({ openapi: "3.1.0", webhooks }));
    expect(await send("paid", url, "--openapi", file)).toMatchObject({ status: 0 });
    expect(bodies).toEqual([{ a: "example" }]);
  });

  it("refuses a provider whose keys nobody else has, by its name", async () => {
    const failed = await send(
      "PAYMENT.CAPTURE.COMPLETED",
      "http://127.0.0.1:9/",
      "--provider",
      "paypal",
    );
    expect(failed).toMatchObject({
      status: 2,
      err: containing("attempts of paypal cannot be made"),
    });
  });

  it("uses a secret as the receiver does: text, a newline, base64", async () => {
    const plain = "a-secret-of-your-own-choice";
    const base64 = Buffer.alloc(32, 3).toString("base64");
    for (const secret of [plain, `${plain}\n`, base64]) {
      const { url } = await openMerchant([`${secret === base64 ? "raw:" : ""}${secret}`]);
      const given = { COUNTERSIGN_SECRET: secret };
      const sent = await ran(["send", "refund.failed", "--url", url], given);
      const warning = "warning: COUNTERSIGN_SECRET is used as text but looks like base64";
      expect(sent).toMatchObject({ status: 0, err: secret === base64 ? containing(warning) : "" });
    }
  });

  // Other mistakes in a secret: packages/signatures/test/secret.spec.ts.
  it("names the variable of a secret that ends with two newlines, not the secret", async () => {
    const args = ["send", "refund.failed", "--url", "http://127.0.0.1:9/"];
    const failed = await ran(args, { COUNTERSIGN_SECRET: `${SECRET}\n\n` });
    const message = "COUNTERSIGN_SECRET ends with more than one newline";
    expect(failed).toMatchObject({ status: 2, err: containing(message) });
    expect(failed.err).not.toContain(SECRET.slice(0, 12));
  });

  it("changes members of the body with --set and --data, and keeps the digits of all other numbers", async () => {
    const { url, bodies } = await collecting();
    const file = join(temporaryFolder(), "data.json");
    writeFileSync(file, '{"data":{"object":{"amount":1,"tax":1.50,"items":[{"price":1.10}]}}}');
    const stripe = ["charge.refunded", "--provider", "stripe", "--data", file, "--url", url];
    const values = [
      "data.object.amount=500",
      "/data/object/currency=eur",
      "data.object.items.0.price=2.50",
    ];
    const { status, err } = await ran(
      ["send", ...stripe, ...values.flatMap((one) => ["--set", one])],
      {
        COUNTERSIGN_SECRET: SECRET,
      },
    );
    expect({ status, err }).toEqual({ status: 0, err: "" });
    expect(bodies[0]).toContain(
      '"amount":500,"tax":1.50,"items":[{"price":2.50}],"currency":"eur"',
    );
    const wrong = await send("refund.failed", url, "--set", "amount");
    expect(wrong).toMatchObject({
      status: 2,
      err: containing("expected NAME=VALUE, e.g. data.object.amount=500"),
    });
  });

  it("says that a body has only the envelope if nothing describes the event", async () => {
    const { url } = await collecting();
    const args = [
      "send",
      "charge.refunded",
      "--provider",
      "stripe",
      "--url",
      url.replace("http://", ""),
    ];
    const { status, err } = await ran(args, { COUNTERSIGN_SECRET: SECRET });
    expect({ status, err }).toEqual({
      status: 0,
      err: containing("note: nothing describes charge.refunded of Stripe"),
    });
  });

  it("sends bursts of events with ids of their own, and prints a summary", async () => {
    let [inFlight, most] = [0, 0];
    const ids = new Set<unknown>();
    const url = await listen((request, response) => {
      most = Math.max(most, (inFlight += 1));
      void json(request).then((body) => {
        ids.add((body as { id: string }).id);
        setImmediate(() => {
          inFlight -= 1;
          response.writeHead(204).end();
        });
      });
    });
    const { status, out } = await send("refund.failed", url, "--times", "60", "--concurrency", "6");
    expect(out).toMatch(/^204 {2}60 of 60\nmedian \d+ ms, p99 \d+ ms\n$/);
    expect({ status, events: ids.size }).toEqual({ status: 0, events: 60 });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(6);
  });

  it("names the cause of a refusal and its fix: the answer's own, or that the signature is valid", async () => {
    const fix = "register it first";
    const consumed = await send(
      "refund.failed",
      await answering(500, JSON.stringify({ code: "CS_BODY_CONSUMED", fix })),
    );
    expect(consumed.out).toContain("\n  cause: CS_BODY_CONSUMED: a parser has read the body");
    expect(consumed.out).toContain(`\n  fix: ${fix}\n`);
    const other = await send("refund.failed", (await openMerchant([textSecret])).url);
    expect(other.out).toContain("The signature is valid with the secret that is configured here.");
    const page = await send(
      "refund.failed",
      await answering(404, "<!doctype html>\n<pre>Cannot POST /</pre>"),
    );
    expect(page.out).toContain("  Your endpoint answered 404: Cannot POST /.\n");
  });

  it("repeats one delivery under one id with --times, and the handler runs once", async () => {
    const { url, seen } = await openMerchant([SECRET]);
    const more = ["--id", "evt_7", "--times", "3", "--json"];
    const { status, out } = await send("payment.created", url, ...more);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      attempts: ["evt_7", "evt_7", "evt_7"].map((id) => ({ id, status: 204 })),
    });
    expect(seen).toEqual(["payment.created"]);
  });

  it.each(Object.keys(brokenAttempts))(
    "with --broken %s exits with 0 if the receiver refuses the attempt, with 1 if not",
    async (kind) => {
      const { url, seen } = await openMerchant([SECRET]);
      const { status, out } = await send("refund.failed", url, "--broken", kind);
      expect(out).toMatch(kind === "not-json" ? / 400 / : / 401 /);
      expect({ status, seen }).toEqual({ status: 0, seen: [] });
      const lax = await send("refund.failed", await answering(200), "--broken", kind);
      expect(lax.status).toBe(1);
    },
  );

  it("exits with 1 if nothing listens or a genuine attempt is refused, and escapes the answer", async () => {
    const closed = await send("refund.failed", "http://127.0.0.1:9/");
    expect(closed).toMatchObject({ status: 1, out: containing("CS_ATTEMPT_CONNECTION_FAILED") });
    const another = { COUNTERSIGN_SECRET: `whsec_${randomBytes(32).toString("base64")}` };
    const args = ["send", "refund.failed", "--url", (await openMerchant([SECRET])).url];
    expect(await ran(args, another)).toMatchObject({ status: 1 });
    const hostile = await answering(500, "\u001b[2J\u0007\u202eok\r\nready");
    const { status, out } = await send("refund.failed", hostile);
    expect(status).toBe(1);
    expect(out).toMatch(/\\u\{1b\}\[2J\\u\{7\}\\u\{202e\}ok\\u\{d\}\\u\{a\}ready\n/);
  });
});
