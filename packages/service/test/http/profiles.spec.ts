import { profiles, type Profile } from "@countersign/schemas/profiles";
import { validateFlatError } from "@countersign/schemas/writers";
import { request } from "undici";
import { describe, expect, it } from "vitest";
import { openService, type TestAnswer, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";

const standard = profiles.standard;
const withRefund = (refund: Partial<Profile["refund"]>): Profile => ({
  ...standard,
  refund: { ...standard.refund, ...refund },
});
const withAmount = (amount: Partial<Profile["amount"]>): Profile => ({
  ...standard,
  amount: { ...standard.amount, ...amount },
});
const withSubscription = (subscription: Partial<Profile["subscription"]>): Profile => ({
  ...standard,
  subscription: { ...standard.subscription, ...subscription },
});

async function askOf(
  profile: Profile,
  members: Record<string, unknown> = {},
): Promise<{ open: TestService; paymentId: string; answer: TestAnswer }> {
  const open = await openService({ profile });
  const paymentId = await newPayment(open.service, open.merchant);
  const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k", ...members };
  return { open, paymentId, answer: await open.call("POST", "/v1/refunds", { json }) };
}

const subscription = {
  url: "https://merchant.example/",
  secretKey: "correct-horse-battery-st",
  subscriptionDetails: { type: "ALL" },
};

describe("a profile decides of a refund's answer", () => {
  it.each([
    ["omit", undefined],
    ["empty", ""],
    ["null", null],
  ] as const)("T-10 what is there for no clientReferenceId: %s", async (choice, expected) => {
    const { answer } = await askOf(withRefund({ clientReferenceIdWhenAbsent: choice }));
    expect(answer.status).toBe(201);
    expect((answer.body as { clientReferenceId?: unknown }).clientReferenceId).toBe(expected);
  });

  it("T-04 whose id it carries", async () => {
    const { answer, paymentId } = await askOf(withRefund({ responsePaymentId: "original" }));
    expect(answer.body).toMatchObject({ paymentId });
  });

  it.each([
    ["ignore", 201, null],
    ["alias", 201, "r"],
    ["reject", 400, undefined],
  ] as const)("T-11 what clientRefefenceId does: %s", async (typoAlias, status, expected) => {
    const { answer } = await askOf(withRefund({ typoAlias }), { clientRefefenceId: "r" });
    expect(answer.status).toBe(status);
    expect((answer.body as { clientReferenceId?: unknown }).clientReferenceId).toBe(expected);
  });

  it("T-13 the alphabet of a softDescriptor", async () => {
    const softDescriptor = "A+B, no. 7";
    const { answer } = await askOf(withRefund({ softDescriptor: "printable-ascii" }), {
      softDescriptor,
    });
    expect(answer.status).toBe(201);
    expect((await askOf(standard, { softDescriptor })).answer.status).toBe(400);
  });
});

describe("a profile decides of a second call with a requestKey", () => {
  it.each([
    ["reject", 409, false],
    ["reject-with-existing", 409, true],
  ] as const)("T-01 %s", async (duplicate, status, isTold) => {
    const { open, paymentId } = await askOf(withRefund({ duplicate }));
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const again = await open.call("POST", "/v1/refunds", { json });
    expect(again.status).toBe(status);
    expect(Object.hasOwn(again.body as object, "existing")).toBe(isTold);
  });

  it("T-01 replay: the same request gets the refund, another one 409", async () => {
    const { open, paymentId, answer } = await askOf(withRefund({ duplicate: "replay" }));
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const again = await open.call("POST", "/v1/refunds", { json });
    expect([again.status, again.body]).toEqual([200, answer.body]);
    const other = { ...json, amount: { currency: "USD", value: 2 } };
    expect(refusal(await open.call("POST", "/v1/refunds", { json: other })).status).toBe(409);
  });
});

describe("a profile decides of an amount", () => {
  it.each([
    [withAmount({ trailingZeros: "accept" }), "1.100"],
    [withAmount({ exponent: "accept" }), "1e1"],
    [withAmount({ strings: "accept" }), '"1.00"'],
  ])("which spellings are taken", async (profile, value) => {
    const open = await openService({ profile });
    const paymentId = await newPayment(open.service, open.merchant);
    const text = `{"paymentId":"${paymentId}","requestKey":"k","amount":{"currency":"USD","value":${value}}}`;
    expect((await open.call("POST", "/v1/refunds", { text })).status).toBe(201);
  });

  it.each(["1.005", "x", "", "-1"])("never that the text %j is one", async (value) => {
    const members = { amount: { currency: "USD", value } };
    const { answer } = await askOf(withAmount({ strings: "accept" }), members);
    expect(refusal(answer)).toMatchObject({ status: 400, code: "INVALID_AMOUNT" });
  });

  it("how small and how large it may be", async () => {
    const profile = withAmount({ minimumCents: 100, maximumCents: 200 });
    const statuses = [0.99, 1, 2, 2.01].map(async (value) => {
      const { answer } = await askOf(profile, { amount: { currency: "USD", value } });
      return answer.status;
    });
    expect(await Promise.all(statuses)).toEqual([400, 201, 201, 400]);
  });
});

describe("a profile decides of subscriptions", () => {
  it.each([
    ["ok", 200],
    ["not-found", 404],
    ["gone", 410],
  ] as const)("what a closed one answers: %s", async (closed, status) => {
    const { call } = await openService({ profile: withSubscription({ closed }) });
    const { body } = await call("POST", "/v1/webhook/subscribe", { json: subscription });
    const { subscriptionKey } = body as { subscriptionKey: string };
    const json = { subscriptionId: subscriptionKey, subscriptionDetails: { type: "ALL" } };
    expect((await call("PUT", "/v1/webhook/unsubscribe", { json })).status).toBe(200);
    expect((await call("PUT", "/v1/webhook/unsubscribe", { json })).status).toBe(status);
  });

  it("T-21 whether ALL may have details", async () => {
    const { call } = await openService({ profile: withSubscription({ allWithDetails: "reject" }) });
    const json = { ...subscription, subscriptionDetails: { type: "ALL", details: ["PAYMENT"] } };
    const answer = await call("POST", "/v1/webhook/subscribe", { json });
    expect(refusal(answer)).toMatchObject({ status: 400, code: "INVALID_SUBSCRIPTION_DETAILS" });
  });

  it("[P-SUBSCRIBE-LIMIT] how many may be open, closed ones not counted", async () => {
    const { call } = await openService({ profile: withSubscription({ maxPerMerchant: 1 }) });
    const first = await call("POST", "/v1/webhook/subscribe", { json: subscription });
    expect((await call("POST", "/v1/webhook/subscribe", { json: subscription })).status).toBe(422);
    const { subscriptionKey } = first.body as { subscriptionKey: string };
    const json = { subscriptionId: subscriptionKey, subscriptionDetails: { type: "ALL" } };
    await call("PUT", "/v1/webhook/unsubscribe", { json });
    expect((await call("POST", "/v1/webhook/subscribe", { json: subscription })).status).toBe(200);
  });
});

describe("a profile decides of the common headers", () => {
  it.each([
    ["error", 406],
    ["warn", 404],
    ["off", 404],
  ] as const)("T-19 what a missing Accept is: %s", async (acceptMissing, status) => {
    const profile = { ...standard, headers: { ...standard.headers, acceptMissing } };
    const { service, merchant } = await openService({ profile });
    const headers = { authorization: `Bearer ${merchant.token}` };
    const answer = await withoutAccept(service.port, "/v1/customers/c", headers);
    expect(answer).toBe(status);
  });

  it.each([
    ["error", 415],
    ["off", 404],
  ] as const)("T-19 what a GET without Content-Type is: %s", async (contentTypeOnGet, status) => {
    const profile = { ...standard, headers: { ...standard.headers, contentTypeOnGet } };
    const { call } = await openService({ profile });
    expect((await call("GET", "/v1/customers/c")).status).toBe(status);
    const headers = { "content-type": "application/json" };
    expect((await call("GET", "/v1/customers/c", { headers })).status).toBe(404);
  });
});

describe("a profile decides of limits, tokens, holds and customers", () => {
  it("how long a requestKey may be", async () => {
    const profile = { ...standard, limits: { ...standard.limits, key: 8 } };
    expect((await askOf(profile, { requestKey: "12345678" })).answer.status).toBe(201);
    const { answer } = await askOf(profile, { requestKey: "123456789" });
    expect(refusal(answer).members).toEqual({ "/requestKey": "INVALID_VALUE" });
  });

  it("where tokens are obtained, for how long, and what the scopes are called", async () => {
    const token = {
      path: "/oauth/token",
      lifetimeSeconds: 120,
      scopes: { payments: "pay:write", core: "core:all" },
    };
    const { call, addMerchant } = await openService({ profile: { ...standard, token } });
    const { clientId, clientSecret } = await addMerchant(["pay:write"]);
    const answer = await call("POST", "/oauth/token", {
      json: { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
      token: null,
    });
    expect(answer.body).toMatchObject({ expires_in: 120, scope: "pay:write" });
    const { access_token } = answer.body as { access_token: string };
    const refused = await call("GET", "/v1/customers/c", { token: access_token });
    expect(refused.headers["www-authenticate"]).toContain('scope="core:all"');
    expect((await call("POST", "/v1/refunds", { json: {}, token: access_token })).status).toBe(400);
  });

  it("how long a refund is held", async () => {
    const hold = { ...standard.hold, businessDays: 0 };
    const { open, paymentId } = await askOf({ ...standard, hold });
    await open.service.useCases.settlePayment(open.merchant, { paymentId });
    const rows = await open.service.driver.query(
      "SELECT status FROM payments WHERE direction = 'CREDIT'",
    );
    expect(rows).toEqual([{ status: "AUTHORIZED" }]);
  });

  it("[P-REFUND-LATE-RETURN] whether a bank's return ends an AUTHORIZED refund, which frees its amount", async () => {
    const profile: Profile = {
      ...withRefund({ lateReturn: true }),
      hold: { ...standard.hold, businessDays: 0 },
    };
    const { open, paymentId, answer } = await askOf(profile);
    await open.service.useCases.settlePayment(open.merchant, { paymentId });
    const refund = answer.body as { paymentId: string };
    const { useCases, driver } = open.service;
    expect(await useCases.returnRefund(open.merchant, refund)).toEqual({ ok: true });
    expect(await useCases.returnRefund(open.merchant, refund)).toMatchObject({ ok: false });
    const rows = await driver.query(
      "SELECT direction, status, reserved_cents AS cents, error_code AS code FROM payments ORDER BY direction",
    );
    expect(rows).toEqual([
      { direction: "CREDIT", status: "TERMINAL_FAILED", cents: 0, code: "REFUND_RETURNED" },
      { direction: "DEBIT", status: "SUCCEEDED", cents: 0, code: null },
    ]);
  });

  it("[P-CUSTOMER-STATES] which moves of a customer exist", async () => {
    const profile: Profile = {
      ...standard,
      customer: { transitions: [{ from: "CREATED", to: "ACTIVE" }] },
    };
    const { service, merchant } = await openService({ profile });
    const person = { firstName: "Bo", lastName: "Li", email: "bo@example.com" };
    const { id: customerId } = await service.useCases.createCustomer(merchant, person);
    const move = (name: "activate" | "deactivate"): Promise<{ ok: boolean }> =>
      service.useCases.moveCustomer(merchant, { customerId, move: name });
    expect(await move("activate")).toMatchObject({ ok: true });
    expect(await move("deactivate")).toEqual({ ok: false, code: "INVALID_TRANSITION" });
  });

  it("nothing that the service cannot do", async () => {
    const hold = { ...standard.hold, timeZone: "Mars/Olympus" };
    await expect(openService({ profile: { ...standard, hold } })).rejects.toThrow(/timeZone/);
    const { envelope: _, ...rest } = standard;
    // A document from outside, which no compiler has seen.
    const profile = rest as Profile;
    await expect(openService({ profile })).rejects.toThrow(/"profile" is not one: \/envelope/);
  });
});

describe("the profile x-signature", () => {
  it("answers refusals in one flat object with the fewer statuses", async () => {
    const open = await openService({ profile: profiles["x-signature"] });
    const paymentId = await newPayment(open.service, open.merchant, { cents: 100n });
    const ask = (changes: object, token?: string): Promise<TestAnswer> =>
      open.call("POST", "/v1/refunds", {
        json: { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k", ...changes },
        ...(token !== undefined && { token }),
      });
    const made = await ask({});
    expect(made.status).toBe(201);
    expect(made.body).not.toHaveProperty("clientReferenceId");
    const { token } = await open.addMerchant(["core"]);
    const answers = [await ask({}), await ask({ requestKey: "l" }), await ask({}, token)];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 401]);
    for (const answer of answers) {
      const validation = validateFlatError(answer.body);
      expect(validation.ok ? [] : validation.errors).toEqual([]);
      expect(answer.headers["content-type"]).toBe("application/json");
    }
    expect(answers[0]?.body).toMatchObject({ errorCode: "DUPLICATE_REQUEST_KEY" });
  });

  it("T-05 names refunds payment.* with paymentType CREDIT, in its own envelope", async () => {
    const open = await openService({ profile: profiles["x-signature"] });
    const { service, merchant } = open;
    await open.call("POST", "/v1/webhook/subscribe", { json: subscription });
    const paymentId = await newPayment(service, merchant);
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const { body: refund } = await open.call("POST", "/v1/refunds", { json });
    const rows = await service.driver.query<{ payload: string }>(
      "SELECT payload FROM events WHERE type LIKE 'payment.%' ORDER BY rowid",
    );
    const [created, pending] = rows.map(({ payload }) => JSON.parse(payload) as object);
    expect(created).toMatchObject({
      eventType: "payment.created",
      creationTime: "2026-11-20T15:00:00.000Z",
      metadata: { resourceId: paymentId, resourceType: "payment", paymentType: "DEBIT" },
    });
    const { paymentId: refundId } = refund as { paymentId: string };
    expect(pending).toMatchObject({
      eventType: "payment.pending",
      metadata: { resourceId: refundId, paymentType: "CREDIT", paymentStatus: "PENDING" },
    });
    expect(pending).not.toHaveProperty("category");
  });

  it("takes every secretKey as it stands", async () => {
    const { call } = await openService({ profile: profiles["x-signature"] });
    const json = { ...subscription, secretKey: `whsk_${"x".repeat(30)}` };
    expect((await call("POST", "/v1/webhook/subscribe", { json })).status).toBe(200);
  });
});

/** The status of a GET with these headers and no others: undici adds no Accept of its own. */
async function withoutAccept(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  const answer = await request(`http://127.0.0.1:${port}${path}`, { headers });
  await answer.body.dump();
  return answer.statusCode;
}
