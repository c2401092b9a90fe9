import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorOf, openClient, order, pending, problem } from "./fixtures.ts";
import { openSandbox, TOKEN, type TestSandbox } from "./open-sandbox.ts";
import { openProvider } from "./scripted-provider.ts";

const withRefund = (refund: Partial<Profile["refund"]>): Profile => ({
  ...profiles.standard,
  refund: { ...profiles.standard.refund, ...refund },
});

async function sandboxWith(profile: Profile = profiles.standard) {
  const one: TestSandbox = await openSandbox(profile);
  onTestFinished(() => one.close());
  const { client } = openClient(one.url, { token: TOKEN, profile });
  return { one, client };
}

describe("a refund (S 4.1)", () => {
  it("is answered with its own id, its status and what was sent", async () => {
    const { one, client } = await sandboxWith();
    const answer = await client.refund({
      paymentId: one.payment,
      amount: 1050n,
      requestKey: "key-1",
      clientReferenceId: "order 7 / Bücher",
      softDescriptor: "Order 7",
    });
    const [made] = await one.refundsOf("key-1");
    expect(answer).toEqual({
      paymentStatus: "AUTHORIZED",
      refundId: made?.["paymentId"],
      paymentId: made?.["paymentId"],
      originalPaymentId: one.payment,
      requestKey: "key-1",
      clientReferenceId: "order 7 / Bücher",
      recovered: false,
    });
    expect(made?.["amount"]).toEqual({ currency: "USD", value: 10.5 });
  });

  it("that failed is an answer with the reason", async () => {
    const { one, client } = await sandboxWith();
    await one.control("POST", `/sandbox/payments/${one.payment}/cover`);
    const answer = await client.refund({ ...order, paymentId: one.payment });
    expect(answer).toMatchObject({
      paymentStatus: "TERMINAL_FAILED",
      errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" },
    });
    const again = await client.refund({ ...order, paymentId: one.payment });
    expect(again).toMatchObject({ paymentStatus: "TERMINAL_FAILED", recovered: true });
    expect(again.refundId).toBe(answer.refundId);
  });

  it.each(["null", "omit", "empty"] as const)(
    "without a reference has null, though the provider answers with %s (T-10)",
    async (clientReferenceIdWhenAbsent) => {
      const { one, client } = await sandboxWith(withRefund({ clientReferenceIdWhenAbsent }));
      const answer = await client.refund({ ...order, paymentId: one.payment });
      expect(answer).toMatchObject({ clientReferenceId: null, recovered: false });
      const [made] = await one.refundsOf("key-1");
      expect(answer.refundId).toBe(made?.["paymentId"]);
    },
  );

  it("has no id of its own where the provider answers with the original's (T-04)", async () => {
    const { one, client } = await sandboxWith(withRefund({ responsePaymentId: "original" }));
    const ask = () => client.refund({ ...order, paymentId: one.payment });
    expect(await ask()).toMatchObject({ paymentId: one.payment, refundId: undefined });
    const [made] = await one.refundsOf("key-1");
    expect(await ask()).toMatchObject({
      paymentId: one.payment,
      refundId: made?.["paymentId"],
      recovered: true,
    });
  });

  it("is replayed where the profile replays", async () => {
    const { one, client } = await sandboxWith(withRefund({ duplicate: "replay" }));
    const ask = () => client.refund({ ...order, paymentId: one.payment });
    expect((await ask()).refundId).toBe((await ask()).refundId);
    expect(await one.refundsOf("key-1")).toHaveLength(1);
  });

  it("may use the descriptors of the profile", async () => {
    const { one, client } = await sandboxWith(withRefund({ softDescriptor: "printable-ascii" }));
    const asked = { ...order, paymentId: one.payment, softDescriptor: "ORDER #7, PART 1" };
    expect(await client.refund(asked)).toMatchObject({ paymentStatus: "AUTHORIZED" });
  });

  it.each([
    ["FAILED", "TERMINAL_FAILED"],
    ["SCHEDULED", "SCHEDULED"],
  ])("in the status %s is %s (T-06)", async (paymentStatus, shown) => {
    const errorDetails = { errorCode: "SOMETHING_NEW", errorMessage: "No." };
    const { url } = await openProvider({
      status: 201,
      json: { ...pending, paymentStatus, errorDetails, added: true },
    });
    const answer = await openClient(url).client.refund(order);
    expect(answer).toMatchObject({ paymentStatus: shown, errorDetails });
    expect(answer).not.toHaveProperty("added");
  });
});

describe("a requestKey that is used", () => {
  it("by another refund is an error that names it, and nothing is asked again", async () => {
    const { one, client } = await sandboxWith();
    const first = await client.refund({ ...order, paymentId: one.payment });
    const error = await errorOf(
      client.refund({ ...order, amount: "10.51", paymentId: one.payment }),
    );
    expect(error).toMatchObject({
      code: "CS_REQUEST_KEY_USED",
      attempts: 1,
      mayBeDone: false,
      status: 409,
      errorCode: "DUPLICATE_REQUEST_KEY",
      existing: { paymentId: first.refundId, sameRequest: false },
    });
  });

  it("by a debit is an error that names nothing (T-02)", async () => {
    const { one, client } = await sandboxWith();
    const error = await errorOf(
      client.refund({ ...order, paymentId: one.payment, requestKey: one.payment }),
    );
    expect(error).toMatchObject({ code: "CS_REQUEST_KEY_USED", existing: undefined });
  });

  it("may be this refund's where the provider does not tell", async () => {
    const profile = profiles["x-signature"];
    const { one, client } = await sandboxWith(profile);
    await client.refund({ ...order, paymentId: one.payment });
    const error = await errorOf(client.refund({ ...order, paymentId: one.payment }));
    expect(error).toMatchObject({
      code: "CS_REQUEST_KEY_USED",
      status: profile.statuses.duplicateKey,
      mayBeDone: true,
      existing: undefined,
    });
  });

  it("may be this refund's where the refusal says nothing at all", async () => {
    const { url } = await openProvider({ status: 409, text: "<p>Conflict</p>" });
    expect(await errorOf(openClient(url).client.refund(order))).toMatchObject({
      code: "CS_REQUEST_KEY_USED",
      errorCode: undefined,
      mayBeDone: true,
    });
  });

  it("leaves no doubt after a lost answer where another request has it", async () => {
    const existing = { paymentId: "ref_0", paymentStatus: "PENDING", sameRequest: false };
    const { url } = await openProvider(
      (response) => response.destroy(),
      problem(409, "DUPLICATE_REQUEST_KEY", { existing }),
    );
    const error = await errorOf(openClient(url).client.refund(order));
    expect(error).toMatchObject({ code: "CS_REQUEST_KEY_USED", attempts: 2, mayBeDone: false });
  });
});

describe("a refund that is asked for again", () => {
  it("is the same request, byte for byte", async () => {
    const { url, received } = await openProvider(
      (response) => response.destroy(),
      problem(503, "SERVICE_UNAVAILABLE"),
      { status: 200, text: "{", headers: { "content-type": "application/json" } },
      { status: 201, json: pending },
    );
    const { client } = openClient(url);
    expect(await client.refund(order)).toMatchObject({ refundId: "ref_1" });
    expect(received).toHaveLength(4);
    expect(new Set(received.map(({ body }) => body))).toEqual(
      new Set([
        '{"amount":{"currency":"USD","value":10.50},"paymentId":"pay_1","requestKey":"key-1"}',
      ]),
    );
  });

  it("keeps its doubt when a later attempt is refused", async () => {
    const { url } = await openProvider(
      (response) => response.destroy(),
      problem(422, "PAYMENT_ALREADY_REFUNDED"),
    );
    expect(await errorOf(openClient(url).client.refund(order))).toMatchObject({
      code: "CS_CALL_REFUSED",
      errorCode: "PAYMENT_ALREADY_REFUNDED",
      attempts: 2,
      mayBeDone: true,
    });
  });

  it("does not take the answer to another request for its own", async () => {
    const { url, received } = await openProvider(
      { status: 201, json: { ...pending, paymentId: "ref_9", clientReferenceId: "order 9" } },
      { status: 201, json: { ...pending, clientReferenceId: "order 7" } },
    );
    const { client } = openClient(url);
    const answer = await client.refund({ ...order, clientReferenceId: "order 7" });
    expect(answer).toMatchObject({ refundId: "ref_1", clientReferenceId: "order 7" });
    expect(received).toHaveLength(2);
  });
});
