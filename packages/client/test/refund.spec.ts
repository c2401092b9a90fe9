import { profiles, type Profile } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { shareSandbox } from "../../service/test/sandbox/open-sandbox.ts";
import {
  clientIn,
  clientOf,
  errorOf,
  JSON_TYPE,
  lost,
  made,
  order,
  pending,
  problem,
  refundError,
  refundsOf,
  sandboxWith,
} from "./fixtures.ts";

const open = shareSandbox();
const withRefund = (refund: Partial<Profile["refund"]>): Profile => ({
  ...profiles.standard,
  refund: { ...profiles.standard.refund, ...refund },
});

describe("a refund (S 4.1)", () => {
  it("returns its own id, its status and the reference that was sent", async () => {
    const { one, client, settled } = clientIn(await open());
    const clientReferenceId = "order 7 / Bücher";
    const more = { amount: 1050n, softDescriptor: "Order 7", clientReferenceId };
    const answer = await client.refund({ ...settled, ...more });
    const [record] = await refundsOf(one);
    const refundId = record?.["paymentId"];
    const expected = { paymentStatus: "AUTHORIZED", refundId, clientReferenceId, recovered: false };
    expect(answer).toEqual(expected);
    expect(record?.["amount"]).toEqual({ currency: "USD", value: 10.5 });
  });

  it("that failed returns the reason, and again for the same request", async () => {
    const { one, client, settled } = clientIn(await open());
    await one.post(`/sandbox/payments/${settled.paymentId}/cover`);
    const answer = await client.refund(settled);
    const failed = { paymentStatus: "TERMINAL_FAILED", recovered: false };
    const errorDetails = { errorCode: "CUSTOMER_NOT_DEBITED" };
    expect(answer).toMatchObject({ ...failed, errorDetails });
    const again = await client.refund(settled);
    expect(again).toMatchObject({ ...failed, recovered: true, refundId: answer.refundId });
  });

  it("without a reference returns null if the provider answers with null or nothing (T-10)", async () => {
    for (const clientReferenceIdWhenAbsent of ["null", "omit"] as const) {
      const profile = withRefund({ clientReferenceIdWhenAbsent });
      const { one, client, settled } = await sandboxWith(profile);
      const answer = await client.refund(settled);
      expect(answer).toMatchObject({ clientReferenceId: null, recovered: false });
      expect(answer.refundId).toBe((await refundsOf(one))[0]?.["paymentId"]);
    }
  });

  it("has no separate id if the provider answers with the original's (T-04)", async () => {
    const { one, client, settled } = await sandboxWith(
      withRefund({ responsePaymentId: "original" }),
    );
    expect(await client.refund(settled)).toMatchObject({ refundId: undefined, recovered: false });
    const refundId = (await refundsOf(one))[0]?.["paymentId"];
    expect(await client.refund(settled)).toMatchObject({ refundId, recovered: true });
  });

  it("may use the profile's soft descriptors", async () => {
    const { client, settled } = await sandboxWith(
      withRefund({ softDescriptor: "printable-ascii" }),
    );
    const described = { ...settled, softDescriptor: "ORDER #7, PART 1" };
    expect(await client.refund(described)).toMatchObject({ paymentStatus: "AUTHORIZED" });
  });

  it("returns FAILED as TERMINAL_FAILED, any other status as it is, and no unknown member (T-06)", async () => {
    for (const [paymentStatus, shown] of [
      ["FAILED", "TERMINAL_FAILED"],
      ["SCHEDULED", "SCHEDULED"],
    ] as const) {
      const errorDetails = { errorCode: "SOMETHING_NEW", errorMessage: "No." };
      const json = { ...pending, paymentStatus, errorDetails, added: true };
      const { client } = await clientOf({ status: 201, json });
      const answer = await client.refund(order);
      expect(answer).toMatchObject({ paymentStatus: shown, errorDetails });
      expect(answer).not.toHaveProperty("added");
    }
  });
});

describe("a used requestKey", () => {
  const used = { code: "CS_REQUEST_KEY_USED" };

  it("of another refund fails the call without a retry and names that refund, but of a debit none (T-02)", async () => {
    const { client, settled } = clientIn(await open());
    const { refundId: paymentId } = await client.refund(settled);
    const error = await errorOf(client.refund({ ...settled, amount: "10.51" }));
    const existing = { paymentId, sameRequest: false };
    const refused = { status: 409, errorCode: "DUPLICATE_REQUEST_KEY", existing };
    expect(error).toMatchObject({ ...used, ...refused, attempts: 1, mayBeDone: false });
    const debit = await errorOf(client.refund({ ...settled, requestKey: settled.paymentId }));
    expect(debit).toMatchObject(used);
    expect(debit).not.toHaveProperty("existing");
  });

  it("may be this refund's if the provider does not name the refund, or says nothing", async () => {
    const profile = profiles["x-signature"];
    const { client, settled } = await sandboxWith(profile);
    await client.refund(settled);
    const unnamed = { ...used, mayBeDone: true };
    const { duplicateKey: status } = profile.statuses;
    expect(await errorOf(client.refund(settled))).toMatchObject({ ...unnamed, status });
    // A conflict under this profile too, whose own status is another.
    const { error } = await refundError({ status: 409, text: "<p>Conflict</p>" }, { profile });
    expect(error).toMatchObject(unnamed);
  });

  it("of another request leaves no doubt after a lost answer", async () => {
    const existing = { paymentId: "ref_0", paymentStatus: "PENDING", sameRequest: false };
    const refused = problem(409, "DUPLICATE_REQUEST_KEY", { existing });
    const { error } = await refundError([lost, refused]);
    expect(error).toMatchObject({ ...used, attempts: 2, mayBeDone: false });
  });
});

describe("a retried refund", () => {
  it("sends the same request, byte for byte", async () => {
    const unreadable = { status: 200, text: "{", headers: JSON_TYPE };
    const answers = [lost, problem(503, "SERVICE_UNAVAILABLE"), unreadable, made];
    const { client, received } = await clientOf(answers);
    expect(await client.refund(order)).toMatchObject({ refundId: "ref_1" });
    const body =
      '{"amount":{"currency":"USD","value":10.50},"paymentId":"pay_1","requestKey":"key-1"}';
    expect(received.map((one) => one.body)).toEqual([body, body, body, body]);
  });

  it("may be done if a later attempt is refused", async () => {
    const { error } = await refundError([lost, problem(422, "PAYMENT_ALREADY_REFUNDED")]);
    const refused = { code: "CS_CALL_REFUSED", errorCode: "PAYMENT_ALREADY_REFUNDED" };
    expect(error).toMatchObject({ ...refused, attempts: 2, mayBeDone: true });
  });

  it("ignores the answer to another request", async () => {
    const { client, received } = await clientOf([
      { status: 201, json: { ...pending, paymentId: "ref_9", clientReferenceId: "order 9" } },
      { status: 201, json: { ...pending, clientReferenceId: "order 7" } },
    ]);
    const answer = await client.refund({ ...order, clientReferenceId: "order 7" });
    expect(answer).toMatchObject({ refundId: "ref_1", clientReferenceId: "order 7" });
    expect(received).toHaveLength(2);
  });
});
