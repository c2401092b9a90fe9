import { describe, expect, it } from "vitest";
import { openService, type TestAnswer, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal, validated } from "../validated.ts";

const DAY_MS = 86_400_000;

/** Asks for a refund; the key is the amount where none is given. */
function ask(
  { call }: TestService,
  paymentId: string,
  members: { readonly value?: number; readonly [member: string]: unknown } = {},
  token?: string,
): Promise<TestAnswer> {
  const { value = 10, ...rest } = members;
  const amount = { currency: "USD", value };
  const json = { paymentId, amount, requestKey: `key-${value}`, ...rest };
  return call("POST", "/v1/refunds", { json, ...(token !== undefined && { token }) });
}

/** The types of all events, in the order of their writing. */
async function eventTypes({ service }: TestService, kind: string): Promise<string[]> {
  const rows = await service.driver.query<{ type: string }>(
    "SELECT type FROM events ORDER BY rowid",
  );
  return rows.map(({ type }) => type).filter((type) => type.startsWith(kind));
}

describe("a refund of a payment that is still processing", () => {
  it("is PENDING, and AUTHORIZED from the third business day after settlement on", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    const asked = await ask(open, paymentId, { value: 10 });
    expect(asked.status).toBe(201);
    expect(validated("refund", asked)).toMatchObject({ paymentStatus: "PENDING" });

    // Friday 20 November, 15:00 UTC, in New York: the third business day is Wednesday.
    await service.useCases.settlePayment(merchant, { paymentId });
    const [row] = await service.driver.query<{ due: number }>(
      "SELECT due_at AS due FROM payments WHERE direction = 'CREDIT'",
    );
    const due = Date.parse("2026-11-25T05:00:00.000Z");
    expect(row).toEqual({ due });
    expect(await service.useCases.moveDueRefunds({ now: due - 1, clockId: "live" })).toMatchObject({
      moved: 0,
    });
    expect(await service.useCases.moveDueRefunds({ now: due, clockId: "live" })).toMatchObject({
      moved: 1,
    });
    expect(await service.useCases.moveDueRefunds({ now: due, clockId: "live" })).toMatchObject({
      moved: 0,
    });
    clock.moveTo("2026-11-25T05:00:00.000Z");
    expect(await eventTypes(open, "refund")).toEqual(["refund.pending", "refund.authorized"]);
  });

  it("T-18 counts from the settlement, not from the request", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    await ask(open, paymentId);
    clock.advance(30 * DAY_MS);
    await service.useCases.settlePayment(merchant, { paymentId });
    const now = clock.now();
    expect(await service.useCases.moveDueRefunds({ now, clockId: "live" })).toMatchObject({
      moved: 0,
    });
  });

  it("T-09 fails where the debit fails, however long it is due", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    await ask(open, paymentId);
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.advance(30 * DAY_MS);
    await service.useCases.failPayment(merchant, { paymentId });

    const now = clock.now();
    expect(await service.useCases.moveDueRefunds({ now, clockId: "live" })).toMatchObject({
      moved: 0,
    });
    expect(await eventTypes(open, "")).toEqual([
      "customer.created",
      "account.linked",
      "payment.created",
      "refund.pending",
      "payment.succeeded",
      "payment.failed",
      "refund.failed",
    ]);
  });

  it("[P-REFUND-RELEASE] T-16 gives its amount back once when it fails", async () => {
    const open = await openService();
    const { service, merchant } = open;
    const paymentId = await newPayment(service, merchant, { cents: 1000n });
    await ask(open, paymentId, { value: 10 });
    await service.useCases.failPayment(merchant, { paymentId });
    await service.useCases.failPayment(merchant, { paymentId });
    await service.useCases.coverPayment(merchant, { paymentId });
    const rows = await service.driver.query(
      "SELECT reserved_cents AS reserved FROM payments WHERE direction = 'DEBIT'",
    );
    expect(rows).toEqual([{ reserved: 0 }]);
  });
});

describe("what a refund was asked for with", () => {
  it("is stored, and told again by the event of a later state", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    const sent = { clientReferenceId: "order-7", softDescriptor: "Order 7", value: 1.05 };
    const refund = validated("refund", await ask(open, paymentId, { ...sent, requestKey: "k" }));
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.advance(30 * DAY_MS);
    await service.useCases.moveDueRefunds({ now: clock.now(), clockId: "live" });
    const [event] = await service.driver.query<{ payload: string }>(
      "SELECT payload FROM events WHERE type = 'refund.authorized'",
    );
    expect(JSON.parse(event?.payload ?? "{}")).toMatchObject({
      data: { ...refund, paymentStatus: "AUTHORIZED", clientReferenceId: "order-7" },
    });
    const rows = await service.driver.query(
      `SELECT amount_cents AS cents, soft_descriptor AS descriptor, original_id AS original
        FROM payments WHERE request_key = 'k'`,
    );
    expect(rows).toEqual([{ cents: 105, descriptor: "Order 7", original: paymentId }]);
  });
});

describe("a refund of a settled payment", () => {
  it.each([
    ["2026-11-25T04:59:59.999Z", "PENDING", "refund.pending"],
    ["2026-11-25T05:00:00.000Z", "AUTHORIZED", "refund.authorized"],
  ])("T-17 asked for at %s is %s and emits only %s", async (instant, status, event) => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.moveTo(instant);
    const refund = validated("refund", await ask(open, paymentId));
    expect(refund.paymentStatus).toBe(status);
    expect(await eventTypes(open, "refund")).toEqual([event]);
    // T-34: what was AUTHORIZED at once is not moved, and not told, again.
    await service.useCases.moveDueRefunds({ now: clock.now(), clockId: "live" });
    expect(await eventTypes(open, "refund")).toEqual([event]);
  });

  it("T-08 stays AUTHORIZED when the debit fails or is covered afterwards", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.advance(30 * DAY_MS);
    validated("refund", await ask(open, paymentId));
    await service.useCases.failPayment(merchant, { paymentId });
    await service.useCases.coverPayment(merchant, { paymentId });
    expect(await eventTypes(open, "refund")).toEqual(["refund.authorized"]);
  });
});

describe("a refund of a payment that did not succeed", () => {
  it.each(["TERMINAL_FAILED", "CANCELED"] as const)(
    "is 201 TERMINAL_FAILED with CUSTOMER_NOT_DEBITED after %s, and uses its key up (T-03)",
    async (status) => {
      const open = await openService();
      const { service, merchant } = open;
      const paymentId = await newPayment(service, merchant);
      await service.useCases.failPayment(merchant, { paymentId, status });
      const answer = await ask(open, paymentId);
      expect(answer.status).toBe(201);
      expect(validated("refund", answer)).toMatchObject({
        paymentStatus: "TERMINAL_FAILED",
        errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" },
      });
      expect(refusal(await ask(open, paymentId))).toMatchObject({ status: 409 });
      expect(await eventTypes(open, "refund")).toEqual(["refund.failed"]);
    },
  );

  it("T-07 is TERMINAL_FAILED where the payment is covered, also long after settlement", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId });
    await service.useCases.coverPayment(merchant, { paymentId });
    clock.advance(30 * DAY_MS);
    expect(validated("refund", await ask(open, paymentId))).toMatchObject({
      paymentStatus: "TERMINAL_FAILED",
      errorDetails: { errorCode: "CUSTOMER_NOT_DEBITED" },
    });
    expect(await eventTypes(open, "payment")).toEqual(["payment.created", "payment.succeeded"]);
  });

  it("is judged before what remains of its amount", async () => {
    const open = await openService();
    const { service, merchant } = open;
    const paymentId = await newPayment(service, merchant, { cents: 100n });
    await service.useCases.failPayment(merchant, { paymentId });
    expect((await ask(open, paymentId, { value: 99_999 })).status).toBe(201);
  });
});

describe("a second call with a requestKey", () => {
  it("T-01 is 409 with the existing refund, never with a paymentStatus of its own", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const first = validated("refund", await ask(open, paymentId, { requestKey: "k" }));
    const again = await ask(open, paymentId, { requestKey: "k" });
    expect(refusal(again)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(again.body).not.toHaveProperty("paymentStatus");
    expect(validated("problem", again).existing).toEqual({
      paymentId: first.paymentId,
      paymentStatus: "PENDING",
      sameRequest: true,
    });
  });

  it.each([
    ["another amount", { value: 11 }],
    ["another descriptor", { softDescriptor: "other" }],
    ["another payment", { paymentId: "pay_unknown" }],
  ])("is 409 with sameRequest false for %s", async (_, change) => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    await ask(open, paymentId, { requestKey: "k" });
    const again = await ask(open, paymentId, { requestKey: "k", ...change });
    expect(validated("problem", again).existing?.sameRequest).toBe(false);
  });

  it("[P-REFUND-KEY-DEBIT] T-02 T-12 is 409 for a debit's key without existing, and free for another merchant", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant, { requestKey: "debit-key" });
    clock.advance(10 * 365 * DAY_MS);
    const answer = await ask(open, paymentId, { requestKey: "debit-key" });
    expect(refusal(answer)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(answer.body).not.toHaveProperty("existing");

    const other = await open.addMerchant();
    const theirs = await newPayment(service, other);
    const taken = await ask(open, theirs, { requestKey: "debit-key" }, other.token);
    expect(taken.status).toBe(201);
  });
});

/** An answer without what is different in each. */
const anonymous = ({ text }: TestAnswer): string => text.replaceAll(/req_[\w-]{22}/g, "req");

describe("a refund request that the business refuses", () => {
  it("T-32 is 404, alike for an unknown payment and another merchant's", async () => {
    const open = await openService();
    const other = await open.addMerchant();
    const theirs = await newPayment(open.service, other);
    const unknown = await ask(open, "pay_unknown");
    const foreign = await ask(open, theirs);
    expect(refusal(unknown)).toEqual({ status: 404, code: "PAYMENT_NOT_FOUND" });
    expect(anonymous(foreign)).toBe(anonymous(unknown));
  });

  it("T-33 is 422 PAYMENT_NOT_REFUNDABLE for the refund of a refund", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const refund = validated("refund", await ask(open, paymentId, { requestKey: "a" }));
    const answer = await ask(open, refund.paymentId, { requestKey: "b" });
    expect(refusal(answer)).toEqual({ status: 422, code: "PAYMENT_NOT_REFUNDABLE" });
  });

  it("T-16 is 422 beyond what remains, over several partial refunds with ids of their own (T-04)", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant, { cents: 1000n });
    const first = validated("refund", await ask(open, paymentId, { value: 4 }));
    const second = validated("refund", await ask(open, paymentId, { value: 5 }));
    expect(new Set([first.paymentId, second.paymentId, paymentId]).size).toBe(3);
    expect(refusal(await ask(open, paymentId, { value: 1.01 }))).toEqual({
      status: 422,
      code: "REFUND_AMOUNT_EXCEEDS_REMAINING",
    });
    expect((await ask(open, paymentId, { value: 1 })).status).toBe(201);
    expect(refusal(await ask(open, paymentId, { value: 0.01 }))).toEqual({
      status: 422,
      code: "PAYMENT_ALREADY_REFUNDED",
    });
  });

  it("T-33 is taken for a customer who is INACTIVE", async () => {
    const open = await openService();
    const { service, merchant } = open;
    const paymentId = await newPayment(service, merchant);
    const [row] = await service.driver.query<{ id: string }>("SELECT id FROM customers");
    const customerId = row?.id ?? "";
    await service.useCases.moveCustomer(merchant, { customerId, move: "deactivate" });
    expect((await ask(open, paymentId)).status).toBe(201);
  });
});

describe("the clientReferenceId of a refund", () => {
  it.each([
    ["comes back unchanged", { clientReferenceId: "Bestellung 7 – é😀" }, "Bestellung 7 – é😀"],
    ["T-10 is null where none was sent", {}, null],
    ["T-11 is taken from the misspelt member", { clientRefefenceId: "r" }, "r"],
    ["T-11 may come in both spellings", { clientReferenceId: "r", clientRefefenceId: "r" }, "r"],
  ])("%s", async (_, members, expected) => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const refund = validated("refund", await ask(open, paymentId, members));
    expect(refund.clientReferenceId).toBe(expected);
  });

  it("T-11 is refused where the two spellings differ", async () => {
    const open = await openService();
    const members = { clientReferenceId: "r", clientRefefenceId: "s" };
    expect(refusal(await ask(open, "pay_unknown", members))).toEqual({
      status: 400,
      code: "INVALID_REQUEST",
      members: { "/clientRefefenceId": "CONTRADICTION" },
    });
  });

  it("T-12 may be the same on two refunds", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const same = { clientReferenceId: "r" };
    expect((await ask(open, paymentId, { value: 1, ...same })).status).toBe(201);
    expect((await ask(open, paymentId, { value: 2, ...same })).status).toBe(201);
  });
});
