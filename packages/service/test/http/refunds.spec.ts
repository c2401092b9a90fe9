import { describe, expect, it } from "vitest";
import { openService } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";
import { coverPayment, failPayment, settlePayment } from "../../src/use-cases/payments.ts";
import { moveCustomer } from "../../src/use-cases/customers.ts";

const DAY_MS = 86_400_000;

type Asked = { readonly value?: number; readonly [member: string]: unknown };

async function open() {
  const opened = await openService();
  const { merchant, context, rows } = opened;
  const paymentId = await opened.pay({ cents: 1000n });
  return {
    ...opened,
    paymentId,
    /** Requests a refund of the payment, of 10.00; the key is the amount unless one is given. */
    ask: ({ value = 10, ...rest }: Asked = {}) => {
      const amount = { currency: "USD", value };
      return opened.refund(paymentId, { amount, requestKey: `key-${value}`, ...rest });
    },
    /** Does something to the payment. */
    move: async (
      ...moves: readonly (typeof settlePayment | typeof failPayment | typeof coverPayment)[]
    ) => {
      for (const move of moves) await move(context, merchant, { paymentId });
    },
    /** The types of the events that begin so, in the order of their writing. */
    types: async (kind: string) => {
      const all = await rows("SELECT type FROM events WHERE type LIKE $1 ORDER BY seq", `${kind}%`);
      return all.map(({ type }) => type);
    },
    /** The rows of debits or credits. */
    stored: (direction: "DEBIT" | "CREDIT") =>
      rows("SELECT * FROM payments WHERE direction = $1", direction),
  };
}

describe("a refund of a payment that is still processing", () => {
  it("[P-REFUND-RELEASE] T-03 T-07 T-09 T-16 fails when the debit fails or is covered, however long it is due, and gives its amount back once, as each later one of any amount fails", async () => {
    for (const [outcome, types] of [
      [failPayment, ["payment.created", "payment.succeeded", "payment.failed"]],
      [coverPayment, ["payment.created", "payment.succeeded"]],
    ] as const) {
      const { ask, move, sweep, clock, stored, ...opened } = await open();
      await ask();
      await move(settlePayment);
      clock.advance(30 * DAY_MS);
      await move(outcome, outcome);
      expect(await sweep()).toBe(0);
      expect(await opened.types("payment")).toEqual(types);
      expect(await opened.types("refund")).toEqual(["refund.pending", "refund.failed"]);
      expect(await stored("DEBIT")).toMatchObject([{ reserved_cents: 0 }]);
      const later = await ask({ value: 99_999 });
      expect(later.status).toBe(201);
      expect(validated("refund", later)).toMatchObject({
        paymentStatus: "TERMINAL_FAILED",
        errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" },
      });
      expect(refusal(await ask({ value: 99_999 }))).toMatchObject({ status: 409 });
    }
  });

  it("T-17 whose hold would end beyond the bank calendar leaves the payment unsettled, and stores nothing", async () => {
    const { ask, move, clock, stored, types } = await open();
    clock.step(Date.parse("2035-12-28T15:00:00.000Z") - clock.now());
    await ask();
    const before = [await stored("DEBIT"), await stored("CREDIT")];
    const message = "the bank calendar ends on 2035-12-31, before 2036-01-01";
    await expect(move(settlePayment)).rejects.toThrow(new RangeError(message));
    expect([await stored("DEBIT"), await stored("CREDIT")]).toEqual(before);
    expect(await types("payment")).toEqual(["payment.created"]);
    await move(failPayment);
    expect(await types("refund")).toEqual(["refund.pending", "refund.failed"]);
  });
});

it("T-01 a second call with a requestKey is 409 with the existing refund, and sameRequest only for the same amount, descriptor and payment", async () => {
  const { ask } = await open();
  const requestKey = "k";
  const { paymentId } = validated("refund", await ask({ requestKey }));
  for (const [change, sameRequest] of [
    [{}, true],
    [{ value: 11 }, false],
    [{ softDescriptor: "other" }, false],
    [{ paymentId: "pay_unknown" }, false],
  ] as const) {
    const again = await ask({ requestKey, ...change });
    expect(refusal(again)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(again.body).not.toHaveProperty("paymentStatus");
    const existing = { paymentId, paymentStatus: "PENDING", sameRequest };
    expect(validated("problem", again).existing).toEqual(existing);
  }
});

it("T-04 T-12 T-16 T-33 partial refunds have their own ids and may share a reference; more than remains, and a refund of a refund, are 422", async () => {
  const { ask, paymentId, context, rows, merchant } = await open();
  // A customer who is INACTIVE is refunded too.
  const [customer] = await rows("SELECT id FROM customers");
  await moveCustomer(context, merchant, {
    customerId: String(customer?.["id"]),
    move: "deactivate",
  });
  const first = validated("refund", await ask({ value: 4, clientReferenceId: "r" }));
  const second = validated("refund", await ask({ value: 5, clientReferenceId: "r" }));
  expect(new Set([first.paymentId, second.paymentId, paymentId]).size).toBe(3);
  const ofRefund = { status: 422, code: "PAYMENT_NOT_REFUNDABLE" };
  expect(refusal(await ask({ paymentId: first.paymentId, requestKey: "b" }))).toEqual(ofRefund);
  const exceeds = { status: 422, code: "REFUND_AMOUNT_EXCEEDS_REMAINING" };
  expect(refusal(await ask({ value: 1.01 }))).toEqual(exceeds);
  expect((await ask({ value: 1 })).status).toBe(201);
  const refunded = { status: 422, code: "PAYMENT_ALREADY_REFUNDED" };
  expect(refusal(await ask({ value: 0.01 }))).toEqual(refunded);
});
