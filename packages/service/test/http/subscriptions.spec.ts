import { afterAll, describe, expect, it } from "vitest";
import { openWatched, openService, type TestAnswer, type TestService } from "../open-service.ts";
import { newCustomer } from "../payments.ts";
import { refusal, validated } from "../validated.ts";

// One service for all that is refused.
const shared = await openWatched({ atEnd: afterAll });

const secretKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const all = { type: "ALL" };

async function keyOf({ subscribe }: TestService, subscriptionDetails: object): Promise<string> {
  const answer = await subscribe({ secretKey, subscriptionDetails });
  expect(answer.status).toBe(200);
  return validated("subscribed", answer).subscriptionKey;
}

const unsubscribe = ({ call }: TestService, json: object, path = ""): Promise<TestAnswer> =>
  call("PUT", `/v1/webhook/unsubscribe${path}`, { json });

/** The types of the events that wait for a subscription. */
async function waiting({ rows }: TestService, key: string): Promise<unknown[]> {
  const events = await rows(
    `SELECT e.type FROM deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.subscription_key = $1 AND d.state = 'waiting' AND d.next_at IS NOT NULL
      ORDER BY e.seq`,
    key,
  );
  return events.map(({ type }) => type);
}

describe("POST /v1/webhook/subscribe", () => {
  it("[P-EVENT-CATALOGUE] T-21 T-22 selects the merchant's own events by the catalogue's category or by name, and ignores details of ALL", async () => {
    const opened = await openService();
    const customer = await keyOf(opened, { type: "CATEGORY", details: ["CUSTOMER"] });
    const account = await keyOf(opened, { type: "CATEGORY", details: ["ACCOUNT", "ACCOUNT"] });
    const named = await keyOf(opened, { type: "EVENT", details: ["payment.succeeded"] });
    const every = [await keyOf(opened, { ...all, details: ["no.such.event"] })];
    // Each subscription has its own key, also for one URL.
    every.push(await keyOf(opened, all));
    await opened.pay({ merchant: await opened.addMerchant() });
    const paymentId = await opened.pay();
    await opened.useCases.settlePayment(opened.merchant, { paymentId });
    expect(await waiting(opened, customer)).toEqual(["customer.created"]);
    expect(await waiting(opened, account)).toEqual(["account.linked"]);
    expect(await waiting(opened, named)).toEqual(["payment.succeeded"]);
    for (const key of every) expect(await waiting(opened, key)).toHaveLength(4);
  });

  it("keeps events for a PAUSED subscription, and none for a CLOSED one", async () => {
    const opened = await openService();
    const keys = [await keyOf(opened, all), await keyOf(opened, all)];
    for (const [at, status] of ["PAUSED", "CLOSED"].entries())
      await opened.write(
        "UPDATE subscriptions SET status = $1 WHERE key = $2",
        status,
        keys[at] ?? "",
      );
    await newCustomer(opened, opened.merchant);
    const counts = await Promise.all(keys.map((key) => waiting(opened, key)));
    expect(counts.map(({ length }) => length)).toEqual([2, 0]);
  });

  it("T-29 accepts absolute https URLs of at most 2,048 characters without credentials or fragment, and http to loopback in the sandbox", async () => {
    for (const bad of [
      "http://merchant.example/hook",
      "http://127.0.0.1:9/hook",
      "http://localhost/hook",
      "ftp://merchant.example/",
      "file:///etc/passwd",
      "merchant.example/hook",
      "https://user@merchant.example/",
      "https://:secret@merchant.example/",
      "https://",
      "https://merchant.example/hook#part",
      "https://merchant.example/hook#",
      "javascript:alert(1)",
      `https://merchant.example/${"x".repeat(2048)}`,
    ]) {
      const code = "INVALID_URL";
      const answer = await shared.subscribe({ url: bad });
      expect(refusal(answer)).toEqual({ status: 400, code, members: { "/url": code } });
    }
    const sandbox = await openWatched({ endpoints: { allowLoopback: true } });
    for (const [host, status] of [
      ["https://merchant.example:8443", 200],
      ["http://127.0.0.1", 200],
      ["http://localhost:80", 200],
      ["http://127.1:4020", 200],
      ["http://[::1]", 200],
      ["http://merchant.example", 400],
      ["http://10.0.0.1", 400],
      ["http://127.0.0.1.evil.test", 400],
    ] as const) {
      const answer = await sandbox.subscribe({ url: `${host}/a?b=1` });
      expect([host, answer.status]).toEqual([host, status]);
    }
  });

  it("T-30 refuses weak, asymmetric and the client's own secrets, and never returns or logs any", async () => {
    const opened = await openWatched();
    const encoded = (prefix: string, bytes: number): string =>
      prefix + Buffer.alloc(bytes, 7).toString("base64");
    const weak = [
      "x".repeat(23),
      "x".repeat(257),
      `${"x".repeat(24)} y`,
      `whsec_${"!".repeat(32)}`,
      encoded("whsec_", 23),
      encoded("whsec_", 65),
      encoded("whsk_", 32),
      encoded("whpk_", 32),
      opened.merchant.clientSecret,
    ];
    let texts = "";
    for (const one of weak) {
      const code = "WEAK_SECRET";
      const answer = await opened.subscribe({ secretKey: one });
      expect(refusal(answer)).toEqual({ status: 400, code, members: { "/secretKey": code } });
      texts += answer.text;
    }
    texts += (await opened.subscribe({ secretKey })).text;
    expect((await opened.subscribe()).status).toBe(200);
    for (const secret of [secretKey, opened.merchant.clientSecret])
      expect(texts + JSON.stringify(opened.lines)).not.toContain(secret);
  });
});

describe("PUT /v1/webhook/unsubscribe", () => {
  it("T-23 takes the returned key in the body, the path or the query, and is 400 when two of them differ", async () => {
    const subscriptionId = await keyOf(shared, all);
    const json = { subscriptionDetails: { type: "EVENT", details: ["payment.created"] } };
    const inBody = { ...json, subscriptionId };
    for (const [sent, path] of [
      [inBody, ""],
      [json, `/${subscriptionId}`],
      [json, `?subscriptionId=${subscriptionId}`],
    ] as const) {
      const { body } = await unsubscribe(shared, sent, path);
      expect(body).toEqual({ subscriptionKey: subscriptionId });
    }
    for (const path of ["/other", "?subscriptionId=other"])
      expect(refusal(await unsubscribe(shared, inBody, path))).toEqual({
        status: 400,
        code: "INVALID_REQUEST",
        members: { "/subscriptionId": "CONTRADICTION" },
      });
  });
});
