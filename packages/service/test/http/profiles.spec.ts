import { profiles, type Profile } from "@countersign/schemas/profiles";
import { reference as provider } from "@countersign/schemas/providers";
import { describe, expect, it } from "vitest";
import { openService, type TestAnswer, type TestService } from "../open-service.ts";
import { refusal } from "../validated.ts";
import { createCustomer, moveCustomer } from "../../src/use-cases/customers.ts";
import { settlePayment } from "../../src/use-cases/payments.ts";
import { returnRefund } from "../../src/use-cases/refunds.ts";

const { standard } = profiles;

/** The standard profile with other values of one section. */
const change = <K extends "refund" | "amount" | "subscription" | "hold">(
  section: K,
  values: Partial<Profile[K]>,
): Profile => ({ ...standard, [section]: { ...standard[section], ...values } });

/** A refund that is requested under a profile. */
async function ask(profile: Profile, members: object = {}) {
  const open = await openService({ profile });
  const paymentId = await open.pay();
  const again = (more?: object) => open.refund(paymentId, { ...members, ...more });
  return { open, paymentId, answer: await again(), again };
}
const referenceOf = ({ body }: TestAnswer): unknown =>
  (body as { clientReferenceId?: unknown }).clientReferenceId;

const unsubscribe = ({ call }: TestService, { body }: TestAnswer): Promise<TestAnswer> => {
  const { subscriptionKey: subscriptionId } = body as { subscriptionKey: string };
  const json = { subscriptionId, subscriptionDetails: { type: "ALL" } };
  return call("PUT", "/v1/webhook/unsubscribe", { json });
};

describe("a profile decides for refunds", () => {
  it("T-04 T-10 T-11 T-13 which id, clientReferenceId and softDescriptor they have", async () => {
    const [typo, printable] = [{ clientRefefenceId: "r" }, { softDescriptor: "A+B, no. 7" }];
    // Composed and decomposed letters, a quote, and a line separator.
    const odd = 'Bestellung 7 – é e\u0301 \u{1F600} ﬁ " \\ \u2028';
    for (const [values, members, status, reference] of [
      [{}, {}, 201, null],
      [{}, typo, 201, "r"],
      [{}, { clientReferenceId: "r", ...typo }, 201, "r"],
      [{}, { clientReferenceId: odd }, 201, odd],
      [{ clientReferenceIdWhenAbsent: "omit" }, {}, 201, undefined],
      [{ softDescriptor: "printable-ascii" }, printable, 201, null],
      [{}, printable, 400, undefined],
    ] as const) {
      const { answer } = await ask(change("refund", values), members);
      expect([answer.status, referenceOf(answer)]).toEqual([status, reference]);
    }
    const { answer, paymentId } = await ask(change("refund", { responsePaymentId: "original" }));
    expect(answer.body).toMatchObject({ paymentId });
  });

  it("T-01 what a second call with a requestKey gets", async () => {
    const rejected = await (await ask(change("refund", { duplicate: "reject" }))).again();
    expect(refusal(rejected).status).toBe(409);
    expect(rejected.body).not.toHaveProperty("existing");
  });

  it("how large amounts may be, and how long a requestKey is", async () => {
    const bounds = { minimumCents: 100, maximumCents: 1000 };
    const { limits } = standard;
    const profile = {
      ...change("amount", bounds),
      limits: { ...limits, key: 2 },
    };
    const { open, paymentId } = await ask(profile);
    let key = 10;
    const statusOf = async (value: string): Promise<number> => {
      const text = `{"paymentId":"${paymentId}","requestKey":"${key++}","amount":{"currency":"USD","value":${value}}}`;
      return (await open.call("POST", "/v1/refunds", { text })).status;
    };
    for (const value of ["1", "10", "10.00"])
      expect([value, await statusOf(value)]).toEqual([value, 201]);
    for (const value of ["1.100", "1e0", '"1.00"', '""', "0.99", "10.01"])
      expect([value, await statusOf(value)]).toEqual([value, 400]);
    const long = await open.refund(paymentId, { requestKey: "123" });
    expect(refusal(long).members).toEqual({ "/requestKey": "INVALID_VALUE" });
  });

  it("how long they are held, and a return by the bank frees their amount", async () => {
    const profile = {
      ...standard,
      hold: { ...standard.hold, businessDays: 0 },
    };
    const { open, paymentId, answer } = await ask(profile);
    const { context } = open;
    await settlePayment(context, open.merchant, { paymentId });
    const rows = (): Promise<unknown> =>
      open.rows(
        "SELECT status, reserved_cents AS cents, error_code AS code FROM payments ORDER BY direction",
      );
    expect(await rows()).toMatchObject([{ status: "AUTHORIZED" }, { cents: 100 }]);
    const refund = answer.body as { paymentId: string };
    expect(refund.paymentId).toMatch(/^ref_/);
    expect(await returnRefund(context, open.merchant, refund)).toEqual({ ok: true });
    const again = await returnRefund(context, open.merchant, refund);
    expect(again).toEqual({ ok: false, code: "INVALID_TRANSITION" });
    for (const unknown of [paymentId, "ref_none"])
      expect(await returnRefund(context, open.merchant, { paymentId: unknown })).toEqual({
        ok: false,
        code: "PAYMENT_NOT_FOUND",
      });
    expect(await rows()).toEqual([
      { status: "TERMINAL_FAILED", cents: 0, code: "REFUND_RETURNED" },
      { status: "SUCCEEDED", cents: 0, code: null },
    ]);
  });
});

describe("a profile decides for subscriptions, tokens and customers", () => {
  it("[P-SUBSCRIBE-LIMIT] T-21 how many subscriptions may be open; a closed one frees its place", async () => {
    const open = await openService({ profile: change("subscription", { maxPerMerchant: 1 }) });
    const made = await open.subscribe();
    expect((await open.subscribe()).status).toBe(422);
    expect((await unsubscribe(open, made)).status).toBe(200);
    expect((await unsubscribe(open, made)).status).toBe(200);
    const subscriptionDetails = { type: "ALL", details: ["PAYMENT"] };
    expect((await open.subscribe({ subscriptionDetails })).status).toBe(200);
  });

  it("where tokens are issued, for how long, and the names of scopes", async () => {
    const scopes = { payments: "pay:write", core: "core:all" };
    const token = { path: "/oauth/token", lifetimeSeconds: 120, scopes };
    const { call, addMerchant } = await openService({ profile: { ...standard, token } });
    const { clientId: client_id, clientSecret: client_secret } = await addMerchant(["pay:write"]);
    const json = { grant_type: "client_credentials", client_id, client_secret };
    const { body } = await call("POST", "/oauth/token", { json, token: null });
    expect(body).toMatchObject({ expires_in: 120, scope: "pay:write" });
    const { access_token } = body as { access_token: string };
    const refused = await call("GET", "/v1/customers/c", { token: access_token });
    expect(refused.headers["www-authenticate"]).toContain('scope="core:all"');
    expect((await call("POST", "/v1/refunds", { json: {}, token: access_token })).status).toBe(400);
  });

  it("[P-CUSTOMER-STATES] which moves of a customer exist", async () => {
    const customer = { transitions: [{ from: "CREATED", to: "ACTIVE" } as const] };
    const { context, merchant } = await openService({ profile: { ...standard, customer } });
    const person = { firstName: "Bo", lastName: "Li", email: "bo@example.com" };
    const { id: customerId } = await createCustomer(context, merchant, person);
    const move = (name: "activate" | "deactivate"): Promise<{ ok: boolean }> =>
      moveCustomer(context, merchant, { customerId, move: name });
    expect(await move("activate")).toMatchObject({ ok: true });
    expect(await move("deactivate")).toEqual({ ok: false, code: "INVALID_TRANSITION" });
  });

  it("only supported choices: the service refuses to start with others", async () => {
    const nowhere = change("hold", { timeZone: "Mars/Olympus" });
    await expect(openService({ profile: nowhere })).rejects.toThrow(/timeZone/);
    const { hold: _, ...rest } = standard;
    // A document from outside, which no compiler has seen.
    const profile = rest as Profile;
    await expect(openService({ profile })).rejects.toThrow(/invalid "profile": \/hold/);
  });

  it("only a provider that says how it sends: the service names the member that is missing", async () => {
    const { sending: _, ...silent } = provider;
    await expect(openService({ profile: { ...standard, provider: silent } })).rejects.toThrow(
      'provider reference cannot send: "sending" must be an object',
    );
    await expect(openService({ profile: { ...standard, provider: "stripe" } })).rejects.toThrow(
      /unknown provider "stripe" of a profile: expected reference or x-signature/,
    );
  });
});

describe("the profile x-signature", () => {
  const profile = profiles["x-signature"];

  it("T-05 names refunds payment.* with paymentType CREDIT, in its own envelope", async () => {
    const { open, paymentId, answer } = await ask(profile);
    const events = await open.rows(
      "SELECT payload FROM events WHERE type LIKE 'payment.%' ORDER BY seq",
    );
    const [created, pending] = events.map(({ payload }) => JSON.parse(String(payload)) as object);
    expect(created).toMatchObject({
      eventType: "payment.created",
      creationTime: "2026-11-20T15:00:00.000Z",
      metadata: { resourceId: paymentId, resourceType: "payment", paymentType: "DEBIT" },
    });
    const { paymentId: resourceId } = answer.body as { paymentId: string };
    const metadata = { resourceId, paymentType: "CREDIT", paymentStatus: "PENDING" };
    expect(pending).toMatchObject({ eventType: "payment.pending", metadata });
    expect(pending).not.toHaveProperty("category");
  });
});
