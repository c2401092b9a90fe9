import { describe, expect, it } from "vitest";
import type { TestAnswer, TestService } from "../open-service.ts";
import { newCustomer, newPayment } from "../payments.ts";
import { refusal, validated } from "../validated.ts";
import { watchRefusals } from "../watch-refusals.ts";

const openService = watchRefusals();

const secretKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const url = "https://merchant.example/webhooks";

function subscribe(
  { call }: TestService,
  changes: Record<string, unknown> = {},
): Promise<TestAnswer> {
  const json = { url, secretKey, subscriptionDetails: { type: "ALL" }, ...changes };
  return call("POST", "/v1/webhook/subscribe", { json });
}

async function keyOf(open: TestService, subscriptionDetails: object): Promise<string> {
  const answer = await subscribe(open, { subscriptionDetails });
  expect(answer.status).toBe(200);
  return validated("subscribed", answer).subscriptionKey;
}

function unsubscribe(
  { call }: TestService,
  subscriptionId: unknown,
  subscriptionDetails: object,
): Promise<TestAnswer> {
  const json = { subscriptionId, subscriptionDetails };
  return call("PUT", "/v1/webhook/unsubscribe", { json });
}

/** What waits for a subscription, by type. */
async function waiting({ service }: TestService, key: string): Promise<string[]> {
  const rows = await service.driver.query<{ type: string }>(
    `SELECT e.type FROM deliveries d JOIN events e ON e.id = d.event_id
      WHERE d.subscription_key = $1 AND d.state = 'waiting' AND d.next_at IS NOT NULL
      ORDER BY e.rowid`,
    [key],
  );
  return rows.map(({ type }) => type);
}

const status = async ({ service }: TestService, key: string): Promise<unknown> => {
  const [row] = await service.driver.query("SELECT status FROM subscriptions WHERE key = $1", [
    key,
  ]);
  return row?.["status"];
};

describe("POST /v1/webhook/subscribe", () => {
  it("gives each subscription a key of its own, also of one url", async () => {
    const open = await openService();
    const first = await keyOf(open, { type: "ALL" });
    const second = await keyOf(open, { type: "ALL" });
    expect(second).not.toBe(first);
    await newCustomer(open.service, open.merchant);
    expect(await waiting(open, first)).toEqual(["customer.created", "account.linked"]);
    expect(await waiting(open, second)).toEqual(["customer.created", "account.linked"]);
  });

  it("[P-EVENT-CATALOGUE] T-22 selects by the catalogue's category, never by the name", async () => {
    const open = await openService();
    const customer = await keyOf(open, { type: "CATEGORY", details: ["CUSTOMER"] });
    const account = await keyOf(open, { type: "CATEGORY", details: ["ACCOUNT", "ACCOUNT"] });
    const named = await keyOf(open, { type: "EVENT", details: ["payment.succeeded"] });
    const paymentId = await newPayment(open.service, open.merchant);
    await open.service.useCases.settlePayment(open.merchant, { paymentId });
    expect(await waiting(open, customer)).toEqual(["customer.created"]);
    expect(await waiting(open, account)).toEqual(["account.linked"]);
    expect(await waiting(open, named)).toEqual(["payment.succeeded"]);
  });

  it("T-21 takes ALL with details and looks at none of them", async () => {
    const open = await openService();
    const key = await keyOf(open, { type: "ALL", details: ["no.such.event"] });
    await newCustomer(open.service, open.merchant);
    expect(await waiting(open, key)).toHaveLength(2);
  });

  it.each([
    ["PAUSED", ["account.linked", "customer.created"]],
    ["CLOSED", []],
  ])("keeps events for a subscription that is %s: %o", async (state, types) => {
    const open = await openService();
    const key = await keyOf(open, { type: "ALL" });
    await open.service.driver.transaction((tx) =>
      tx.query("UPDATE subscriptions SET status = $1 WHERE key = $2", [state, key]),
    );
    await newCustomer(open.service, open.merchant);
    expect((await waiting(open, key)).toSorted()).toEqual(types);
  });

  it("never delivers another merchant's events", async () => {
    const open = await openService();
    const key = await keyOf(open, { type: "ALL" });
    await newPayment(open.service, await open.addMerchant());
    expect(await waiting(open, key)).toEqual([]);
  });

  it.each([
    [
      "an unknown event",
      { type: "EVENT", details: ["payment.created", "payment.craeted"] },
      "UNKNOWN_EVENT",
      "/subscriptionDetails/details/1",
    ],
    [
      "a category as event",
      { type: "EVENT", details: ["PAYMENT"] },
      "UNKNOWN_EVENT",
      "/subscriptionDetails/details/0",
    ],
    [
      "an event in another case",
      { type: "EVENT", details: ["Payment.Created"] },
      "UNKNOWN_EVENT",
      "/subscriptionDetails/details/0",
    ],
    [
      "an event as category",
      { type: "CATEGORY", details: ["payment.created"] },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/details/0",
    ],
    [
      "no details",
      { type: "EVENT" },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/details",
    ],
    [
      "empty details",
      { type: "CATEGORY", details: [] },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/details",
    ],
    [
      "no list",
      { type: "EVENT", details: "payment.created" },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/details",
    ],
    [
      "another type",
      { type: "SOME", details: ["PAYMENT"] },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/type",
    ],
    [
      "ALL with a wrong list",
      { type: "ALL", details: [1] },
      "INVALID_SUBSCRIPTION_DETAILS",
      "/subscriptionDetails/details/0",
    ],
  ])("T-20 refuses %s with 400", async (_, subscriptionDetails, code, pointer) => {
    const open = await openService();
    const answer = await subscribe(open, { subscriptionDetails });
    expect(refusal(answer)).toEqual({ status: 400, code, members: { [pointer]: code } });
    expect(await open.service.driver.query("SELECT key FROM subscriptions")).toEqual([]);
  });

  it.each([
    "http://merchant.example/hook",
    "http://127.0.0.1:9/hook",
    "ftp://merchant.example/hook",
    "merchant.example/hook",
    "https://user:secret@merchant.example/hook",
    "https://merchant.example/hook#part",
    "https://",
    `https://merchant.example/${"x".repeat(2048)}`,
    "javascript:alert(1)",
  ])("T-29 refuses the url %s with INVALID_URL", async (bad) => {
    const open = await openService();
    const answer = await subscribe(open, { url: bad });
    expect(refusal(answer)).toEqual({
      status: 400,
      code: "INVALID_URL",
      members: { "/url": "INVALID_URL" },
    });
  });

  it("T-29 takes http to loopback alone, and only where the options allow it", async () => {
    const open = await openService({ allowLoopbackHttp: true });
    expect((await subscribe(open, { url: "http://127.0.0.1:8080/hook" })).status).toBe(200);
    expect((await subscribe(open, { url: "http://localhost:8080/hook" })).status).toBe(200);
    expect(refusal(await subscribe(open, { url: "http://merchant.example/" })).status).toBe(400);
  });

  it.each([
    ["23 characters", "x".repeat(23)],
    ["257 characters", "x".repeat(257)],
    ["a space", `${"x".repeat(24)} y`],
    ["a whsec_ that is no base64", `whsec_${"!".repeat(32)}`],
    ["a whsec_ of 23 bytes", `whsec_${Buffer.alloc(23, 7).toString("base64")}`],
    ["a whsec_ of 65 bytes", `whsec_${Buffer.alloc(65, 7).toString("base64")}`],
    ["a private key", `whsk_${Buffer.alloc(32, 7).toString("base64")}`],
    ["a public key", `whpk_${Buffer.alloc(32, 7).toString("base64")}`],
  ])("refuses a secretKey of %s with WEAK_SECRET", async (_, weak) => {
    const open = await openService();
    expect(refusal(await subscribe(open, { secretKey: weak }))).toEqual({
      status: 400,
      code: "WEAK_SECRET",
      members: { "/secretKey": "WEAK_SECRET" },
    });
  });

  it("takes other text of 24 characters as it stands", async () => {
    const open = await openService();
    expect((await subscribe(open, { secretKey: "correct-horse-battery-st" })).status).toBe(200);
  });

  it("T-30 refuses the client's own secret, and never returns or logs any", async () => {
    const lines: string[] = [];
    const write = (fields: object, message: string): void => {
      lines.push(JSON.stringify(fields) + message);
    };
    const open = await openService({ logger: { info: write, warn: write, error: write } });
    const answer = await subscribe(open, { secretKey: open.merchant.clientSecret });
    expect(refusal(answer)).toMatchObject({ status: 400, code: "WEAK_SECRET" });
    const taken = await subscribe(open);
    expect(taken.text + answer.text + lines.join("")).not.toContain(secretKey);
    expect(answer.text + lines.join("")).not.toContain(open.merchant.clientSecret);
  });

  it("refuses more open subscriptions than the profile allows with 422", async () => {
    const open = await openService();
    for (let i = 0; i < 10; i++) await keyOf(open, { type: "ALL" });
    const answer = await subscribe(open);
    expect(refusal(answer)).toEqual({ status: 422, code: "SUBSCRIPTION_LIMIT_REACHED" });
  });
});

describe("PUT /v1/webhook/unsubscribe", () => {
  const all = { type: "ALL" };
  const payments = { type: "CATEGORY", details: ["PAYMENT"] };

  it("T-23 answers with the same key and takes away what is named, no more", async () => {
    const open = await openService();
    const key = await keyOf(open, all);
    const answer = await unsubscribe(open, key, payments);
    expect(answer.status).toBe(200);
    expect(validated("unsubscribed", answer)).toEqual({ subscriptionKey: key });
    await newPayment(open.service, open.merchant);
    expect(await waiting(open, key)).toEqual(["customer.created", "account.linked"]);
    expect(await status(open, key)).toBe("ACTIVE");
  });

  it("drops what still waits for an event that was taken away", async () => {
    const open = await openService();
    const key = await keyOf(open, all);
    await newPayment(open.service, open.merchant);
    await unsubscribe(open, key, { type: "EVENT", details: ["customer.created"] });
    expect(await waiting(open, key)).toEqual(["account.linked", "payment.created"]);
    await unsubscribe(open, key, all);
    expect(await waiting(open, key)).toEqual([]);
  });

  it("is idempotent, and 200 with the same key again once the subscription is closed", async () => {
    const open = await openService();
    const key = await keyOf(open, payments);
    for (let i = 0; i < 3; i++) {
      const answer = await unsubscribe(open, key, payments);
      expect([answer.status, answer.body]).toEqual([200, { subscriptionKey: key }]);
      expect(await status(open, key)).toBe("CLOSED");
    }
    await newPayment(open.service, open.merchant);
    expect(await waiting(open, key)).toEqual([]);
  });

  it.each([
    [
      all,
      [
        { type: "CATEGORY", details: ["PAYMENT", "CUSTOMER"] },
        { type: "CATEGORY", details: ["ACCOUNT"] },
      ],
      "CLOSED",
    ],
    [all, [all], "CLOSED"],
    [payments, [{ type: "EVENT", details: ["payment.created"] }], "ACTIVE"],
    [{ type: "EVENT", details: ["payment.created"] }, [payments], "CLOSED"],
    [payments, [{ type: "CATEGORY", details: ["ACCOUNT"] }], "ACTIVE"],
  ])("of %j by %j leaves it %s", async (subscribed, steps, expected) => {
    const open = await openService();
    const key = await keyOf(open, subscribed);
    for (const details of steps) expect((await unsubscribe(open, key, details)).status).toBe(200);
    expect(await status(open, key)).toBe(expected);
  });

  it("T-32 is 404 for an unknown key and another merchant's", async () => {
    const open = await openService();
    const key = await keyOf(open, all);
    const { token } = await open.addMerchant();
    const json = { subscriptionId: key, subscriptionDetails: all };
    const foreign = await open.call("PUT", "/v1/webhook/unsubscribe", { json, token });
    expect(refusal(foreign)).toEqual({ status: 404, code: "SUBSCRIPTION_NOT_FOUND" });
    expect(refusal(await unsubscribe(open, "sub_unknown", all)).status).toBe(404);
    expect(await status(open, key)).toBe("ACTIVE");
  });

  it("reads subscriptionId from the path or the query too", async () => {
    const open = await openService();
    const json = { subscriptionDetails: payments };
    const key = await keyOf(open, all);
    for (const path of [`/${key}`, `?subscriptionId=${key}`, `/${key}?subscriptionId=${key}`]) {
      const answer = await open.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });
      expect([answer.status, answer.body]).toEqual([200, { subscriptionKey: key }]);
    }
    const same = await open.call("PUT", `/v1/webhook/unsubscribe/${key}`, {
      json: { ...json, subscriptionId: key },
    });
    expect(same.status).toBe(200);
  });

  it.each(["/other", "?subscriptionId=other", "/other?subscriptionId=other"])(
    "is 400 where %s names another one than the body",
    async (path) => {
      const open = await openService();
      const key = await keyOf(open, all);
      const json = { subscriptionId: key, subscriptionDetails: all };
      const answer = await open.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });
      expect(refusal(answer)).toEqual({
        status: 400,
        code: "INVALID_REQUEST",
        members: { "/subscriptionId": "CONTRADICTION" },
      });
      expect(await status(open, key)).toBe("ACTIVE");
    },
  );

  it.each([
    [{ subscriptionDetails: { type: "ALL" } }, "/subscriptionId", "MISSING_MEMBER"],
    [
      { subscriptionId: 7, subscriptionDetails: { type: "ALL" } },
      "/subscriptionId",
      "INVALID_VALUE",
    ],
    [{ subscriptionId: "s" }, "/subscriptionDetails", "MISSING_MEMBER"],
  ])("is 400 for %j", async (json, pointer, code) => {
    const { call } = await openService();
    const answer = await call("PUT", "/v1/webhook/unsubscribe", { json });
    expect(refusal(answer)).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: { [pointer]: code },
    });
  });
});
