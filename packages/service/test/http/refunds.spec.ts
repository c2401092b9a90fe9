import { describe, expect, it } from "vitest";
import { openService, refundOrder, type TestAnswer, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal, validated } from "../validated.ts";

const DAY_MS = 86_400_000;

interface Opened extends TestService {
  readonly paymentId: string;
  /** Requests a refund of the payment; the key is the amount unless one is given. */
  readonly ask: (
    members?: { readonly value?: number; readonly [member: string]: unknown },
    token?: string,
  ) => Promise<TestAnswer>;
  /** Does something to the payment. */
  readonly pay: (
    ...moves: readonly ("settlePayment" | "failPayment" | "coverPayment")[]
  ) => Promise<void>;
  /** Moves due refunds. @returns How many moved. */
  readonly sweep: (now?: number) => Promise<number>;
  /** The types of events that begin so, in the order of their writing. */
  readonly events: (kind: string) => Promise<string[]>;
}

async function open(payment: { cents?: bigint; requestKey?: string } = {}): Promise<Opened> {
  const opened = await openService();
  const { service, merchant, clock, call } = opened;
  const paymentId = await newPayment(service, merchant, payment);
  return {
    ...opened,
    paymentId,
    ask: ({ value = 10, ...rest } = {}, token = merchant.token) => {
      const amount = { currency: "USD", value };
      const json = refundOrder(paymentId, { amount, requestKey: `key-${value}`, ...rest });
      return call("POST", "/v1/refunds", { json, token });
    },
    pay: async (...moves) => {
      for (const move of moves) await service.useCases[move](merchant, { paymentId });
    },
    sweep: async (now = clock.now()) =>
      (await service.useCases.moveDueRefunds({ now, clockId: "live" })).moved,
    events: async (kind) => {
      const rows = await service.driver.query<{ type: string }>(
        "SELECT type FROM events ORDER BY rowid",
      );
      return rows.map(({ type }) => type).filter((type) => type.startsWith(kind));
    },
  };
}

describe("a refund of a payment that is still processing", () => {
  it("is PENDING, and AUTHORIZED from the third business day after the settlement", async () => {
    const { ask, pay, sweep, events, service } = await open();
    const answer = await ask();
    expect(answer.status).toBe(201);
    expect(validated("refund", answer)).toMatchObject({ paymentStatus: "PENDING" });
    // Friday 20 November, 15:00 UTC, in New York: the third business day is Wednesday.
    await pay("settlePayment");
    const due = Date.parse("2026-11-25T05:00:00.000Z");
    const rows = await service.driver.query(
      "SELECT due_at AS due FROM payments WHERE direction = 'CREDIT'",
    );
    expect(rows).toEqual([{ due }]);
    expect([await sweep(due - 1), await sweep(due), await sweep(due)]).toEqual([0, 1, 0]);
    expect(await events("refund")).toEqual(["refund.pending", "refund.authorized"]);
  });

  it("T-18 is held from the settlement, not from the request", async () => {
    const { ask, pay, sweep, clock } = await open();
    await ask();
    clock.advance(30 * DAY_MS);
    await pay("settlePayment");
    expect(await sweep()).toBe(0);
  });

  it("T-09 fails when the debit fails, however long it is due", async () => {
    const { ask, pay, sweep, clock, events } = await open();
    await ask();
    await pay("settlePayment");
    clock.advance(30 * DAY_MS);
    await pay("failPayment");
    expect(await sweep()).toBe(0);
    const payment = ["payment.created", "payment.succeeded", "payment.failed"];
    expect(await events("payment")).toEqual(payment);
    expect(await events("refund")).toEqual(["refund.pending", "refund.failed"]);
  });

  it("[P-REFUND-RELEASE] T-16 gives its amount back once when it fails", async () => {
    const { ask, pay, service } = await open({ cents: 1000n });
    await ask();
    await pay("failPayment", "failPayment", "coverPayment");
    const rows = await service.driver.query(
      "SELECT reserved_cents AS cents FROM payments WHERE direction = 'DEBIT'",
    );
    expect(rows).toEqual([{ cents: 0 }]);
  });

  it("is stored as requested, and the event of a later state repeats it", async () => {
    const { ask, pay, sweep, clock, service, paymentId } = await open();
    const softDescriptor = `Order 7${"z".repeat(73)}`;
    const sent = { clientReferenceId: "order-7", softDescriptor, value: 1.05 };
    const refund = validated("refund", await ask(sent));
    await pay("settlePayment");
    clock.advance(30 * DAY_MS);
    await sweep();
    const [event] = await service.driver.query<{ payload: string }>(
      "SELECT payload FROM events WHERE type = 'refund.authorized'",
    );
    const data = { ...refund, paymentStatus: "AUTHORIZED", clientReferenceId: "order-7" };
    expect(JSON.parse(event?.payload ?? "{}")).toMatchObject({ data });
    const rows = await service.driver.query(
      `SELECT amount_cents AS cents, soft_descriptor AS descriptor, original_id AS original
        FROM payments WHERE direction = 'CREDIT'`,
    );
    expect(rows).toEqual([{ cents: 105, descriptor: softDescriptor, original: paymentId }]);
  });
});

describe("a refund of a settled payment", () => {
  it.each([
    ["2026-11-25T04:59:59.999Z", "PENDING", "refund.pending"],
    ["2026-11-25T05:00:00.000Z", "AUTHORIZED", "refund.authorized"],
  ])("T-17 requested at %s is %s and writes only %s", async (instant, paymentStatus, event) => {
    const { ask, pay, sweep, clock, events } = await open();
    await pay("settlePayment");
    clock.moveTo(instant);
    expect(validated("refund", await ask())).toMatchObject({ paymentStatus });
    expect(await events("refund")).toEqual([event]);
    // T-34: what was AUTHORIZED at once is not moved, and not reported, again.
    await sweep();
    expect(await events("refund")).toEqual([event]);
  });

  it("T-17 whose hold would end beyond the bank calendar leaves the payment unsettled, and stores nothing", async () => {
    const { ask, pay, clock, service, events } = await open();
    clock.moveTo("2035-12-28T15:00:00.000Z");
    await ask();
    const stored = () => service.driver.query("SELECT * FROM payments ORDER BY direction");
    const before = await stored();
    const message = "the bank calendar ends on 2035-12-31, before 2036-01-01";
    await expect(pay("settlePayment")).rejects.toThrow(new RangeError(message));
    expect(await stored()).toEqual(before);
    expect(await events("payment")).toEqual(["payment.created"]);
    await pay("failPayment");
    expect(await events("refund")).toEqual(["refund.pending", "refund.failed"]);
  });

  it("T-08 stays AUTHORIZED when the debit fails or is covered later", async () => {
    const { ask, pay, clock, events } = await open();
    await pay("settlePayment");
    clock.advance(30 * DAY_MS);
    await ask();
    await pay("failPayment", "coverPayment");
    expect(await events("refund")).toEqual(["refund.authorized"]);
  });
});

describe("a refund of a payment that did not succeed", () => {
  const failed = {
    paymentStatus: "TERMINAL_FAILED",
    errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" },
  };

  it.each(["TERMINAL_FAILED", "CANCELED"] as const)(
    "T-03 is 201 TERMINAL_FAILED after %s, whatever its amount, and uses its key up",
    async (status) => {
      const { ask, service, merchant, events, paymentId } = await open({ cents: 100n });
      await service.useCases.failPayment(merchant, { paymentId, status });
      const answer = await ask({ value: 99_999 });
      expect(answer.status).toBe(201);
      expect(validated("refund", answer)).toMatchObject(failed);
      expect(refusal(await ask({ value: 99_999 }))).toMatchObject({ status: 409 });
      expect(await events("refund")).toEqual(["refund.failed"]);
    },
  );

  it("T-07 is TERMINAL_FAILED when the payment is covered, also long after settlement", async () => {
    const { ask, pay, clock, events } = await open();
    await pay("settlePayment", "coverPayment");
    clock.advance(30 * DAY_MS);
    expect(validated("refund", await ask())).toMatchObject(failed);
    expect(await events("payment")).toEqual(["payment.created", "payment.succeeded"]);
  });
});

describe("a second call with a requestKey", () => {
  it("T-01 is 409 with the existing refund, and no paymentStatus of the answer itself", async () => {
    const { ask } = await open();
    const { paymentId } = validated("refund", await ask());
    const again = await ask();
    expect(refusal(again)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(again.body).not.toHaveProperty("paymentStatus");
    const existing = { paymentId, paymentStatus: "PENDING", sameRequest: true };
    expect(validated("problem", again).existing).toEqual(existing);
  });

  it("is 409 with sameRequest false for another amount, descriptor or payment", async () => {
    const { ask } = await open();
    await ask({ requestKey: "k" });
    for (const change of [
      { value: 11 },
      { softDescriptor: "other" },
      { paymentId: "pay_unknown" },
    ]) {
      const again = await ask({ requestKey: "k", ...change });
      expect(validated("problem", again).existing?.sameRequest).toBe(false);
    }
  });

  it("[P-REFUND-KEY-DEBIT] T-02 T-12 is 409 without existing for a debit's key, which is free for another merchant", async () => {
    const { ask, addMerchant, service } = await open({ requestKey: "debit-key" });
    const answer = await ask({ requestKey: "debit-key" });
    expect(refusal(answer)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(answer.body).not.toHaveProperty("existing");
    const other = await addMerchant();
    const paymentId = await newPayment(service, other);
    expect((await ask({ requestKey: "debit-key", paymentId }, other.token)).status).toBe(201);
  });
});

describe("a refund request that the business rules refuse", () => {
  it("T-32 is 404, identical for an unknown payment and another merchant's", async () => {
    const { ask, addMerchant, service } = await open();
    const unknown = await ask({ paymentId: "pay_unknown" });
    const foreign = await ask({ paymentId: await newPayment(service, await addMerchant()) });
    expect(refusal(unknown)).toEqual({ status: 404, code: "PAYMENT_NOT_FOUND" });
    const anonymous = ({ text }: TestAnswer): string => text.replaceAll(/req_[\w-]{22}/g, "req");
    expect(anonymous(foreign)).toBe(anonymous(unknown));
  });

  it("T-33 is 422 PAYMENT_NOT_REFUNDABLE for the refund of a refund", async () => {
    const { ask } = await open();
    const { paymentId } = validated("refund", await ask());
    const answer = await ask({ paymentId, requestKey: "b" });
    expect(refusal(answer)).toEqual({ status: 422, code: "PAYMENT_NOT_REFUNDABLE" });
  });

  it("T-04 T-16 is 422 beyond what remains after several partial refunds with ids of their own", async () => {
    const { ask, paymentId } = await open({ cents: 1000n });
    const first = validated("refund", await ask({ value: 4 }));
    const second = validated("refund", await ask({ value: 5 }));
    expect(new Set([first.paymentId, second.paymentId, paymentId]).size).toBe(3);
    const exceeds = { status: 422, code: "REFUND_AMOUNT_EXCEEDS_REMAINING" };
    expect(refusal(await ask({ value: 1.01 }))).toEqual(exceeds);
    expect((await ask({ value: 1 })).status).toBe(201);
    const refunded = { status: 422, code: "PAYMENT_ALREADY_REFUNDED" };
    expect(refusal(await ask({ value: 0.01 }))).toEqual(refunded);
  });

  it("T-33 is not one for a customer who is INACTIVE", async () => {
    const { ask, service, merchant } = await open();
    const [row] = await service.driver.query<{ id: string }>("SELECT id FROM customers");
    const customerId = row?.id ?? "";
    await service.useCases.moveCustomer(merchant, { customerId, move: "deactivate" });
    expect((await ask()).status).toBe(201);
  });
});

it("T-10 T-11 T-12 the clientReferenceId of a refund comes back unchanged or as null, from either spelling, and need not be unique", async () => {
  const { ask } = await open();
  // As it is sent, byte for byte: composed or not, quoted, and at the edge of what lines are.
  const odd = 'Bestellung 7 – é e\u0301 \u{1F600} ﬁ " \\ \u2028';
  let value = 0;
  for (const [members, expected] of [
    [{ clientReferenceId: odd }, odd],
    [{}, null],
    [{ clientRefefenceId: "r" }, "r"],
    [{ clientReferenceId: "r", clientRefefenceId: "r" }, "r"],
  ] as const) {
    const refund = validated("refund", await ask({ value: (value += 1), ...members }));
    expect(refund.clientReferenceId).toBe(expected);
  }
  const contradiction = { clientReferenceId: "r", clientRefefenceId: "s" };
  expect(refusal(await ask({ value: 9, ...contradiction }))).toEqual({
    status: 400,
    code: "INVALID_REQUEST",
    members: { "/clientRefefenceId": "CONTRADICTION" },
  });
});
