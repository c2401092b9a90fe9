import { validateEvent } from "@countersign/schemas/writers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openService, type TestService } from "../open-service.ts";
import { newCustomer, newPayment } from "../payments.ts";

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly payload: string;
  readonly at: number;
}

const events = ({ service }: TestService): Promise<StoredEvent[]> =>
  service.driver.query<StoredEvent>(
    "SELECT id, type, category, payload, created_at AS at FROM events ORDER BY rowid",
  );

describe("an event", () => {
  it("[P-EVENT-SCHEMA] is written with every state that is entered, once, and fits its schema", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const { useCases } = service;
    const customerId = await newCustomer(service, merchant);
    for (const move of ["activate", "activate", "deactivate", "deactivate", "activate"] as const) {
      await useCases.moveCustomer(merchant, { customerId, move });
    }
    const account = {
      customerId,
      institution: "Second Bank",
      lastFour: "0000",
      type: "savings",
    } as const;
    clock.advance(1);
    await useCases.linkAccount(merchant, account);
    await useCases.deactivateAccount(merchant, { customerId });
    await useCases.deactivateAccount(merchant, { customerId });
    const made = await useCases.createPayment(merchant, { customerId, amountCents: 1050n });
    if (!made.ok) throw new Error(made.code);
    const paymentId = made.payment.id;
    for (let i = 0; i < 2; i++) await useCases.authorizePayment(merchant, { paymentId });
    for (let i = 0; i < 2; i++) await useCases.settlePayment(merchant, { paymentId });
    for (let i = 0; i < 2; i++) await useCases.coverPayment(merchant, { paymentId });
    for (let i = 0; i < 2; i++) await useCases.failPayment(merchant, { paymentId });
    const canceled = await newPayment(service, merchant);
    await useCases.failPayment(merchant, { paymentId: canceled, status: "CANCELED" });

    const written = await events(open);
    expect(written.map(({ type }) => type)).toEqual([
      "customer.created",
      "account.linked",
      "customer.activated",
      "customer.deactivated",
      "customer.activated",
      "account.updated",
      "account.linked",
      "account.deactivated",
      "payment.created",
      "payment.authorized",
      "payment.succeeded",
      "payment.failed",
      "customer.created",
      "account.linked",
      "payment.created",
      "payment.canceled",
    ]);
    for (const { id, type, category, payload, at } of written) {
      const event: unknown = JSON.parse(payload);
      const validation = validateEvent(event);
      expect([type, validation.ok ? [] : validation.errors]).toEqual([type, []]);
      expect(event).toMatchObject({ id, type, category, timestamp: new Date(at).toISOString() });
      expect(id).toMatch(/^evt_[A-Za-z0-9_-]{22}$/);
    }
  });

  it("writes amounts of exactly two digits, whatever the amount", async () => {
    const open = await openService();
    const customerId = await newCustomer(open.service, open.merchant);
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: 9_999_999_999n }), async (amountCents) => {
        const order = { customerId, amountCents };
        await open.service.useCases.createPayment(open.merchant, order);
        const last = (await events(open)).at(-1);
        const [, text] = /"value":([^}]*)}/.exec(last?.payload ?? "") ?? [];
        expect(text).toMatch(/^(0|[1-9]\d*)\.\d\d$/);
        expect(BigInt(text?.replace(".", "") ?? "")).toBe(amountCents);
      }),
      { numRuns: 30 },
    );
  });

  it("is hinted at after COMMIT, never before", async () => {
    const seen: number[] = [];
    const open = await openService({
      onWork: () => {
        void (async () => {
          const rows = await events(open);
          seen.push(rows.length);
        })();
      },
    });
    const paymentId = await newPayment(open.service, open.merchant);
    const order = { paymentId, amountCents: 1n, clientReferenceId: null, softDescriptor: null };
    await open.service.useCases.askRefund(open.merchant, { ...order, requestKey: "k" });
    // Refused: nothing was written that could wait.
    await open.service.useCases.askRefund(open.merchant, { ...order, requestKey: "k" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("carries the instant of the merchant's own clock", async () => {
    const open = await openService();
    const { useCases } = open.service;
    const instant = Date.parse("2031-01-01T00:00:00.000Z");
    const made = await useCases.createMerchant({
      name: "Own clock",
      clock: { instant },
      scopes: ["core"],
    });
    if (!made.ok) throw new Error(made.code);
    await newCustomer(open.service, made.merchant);
    const [first] = await events(open);
    expect(first?.at).toBe(instant);
    const [row] = await open.service.driver.query(
      "SELECT clock_id AS clock FROM events WHERE merchant_id = $1",
      [made.merchant.id],
    );
    expect(row).toEqual({ clock: made.merchant.clockId });
  });
});

describe("a settlement", () => {
  it.each([
    ["before the payment was made", -1000, 0],
    ["in between", 500, 500],
    ["in the future", 9000, 1000],
  ])(
    "that is said to be %s counts from the nearest instant that is possible",
    async (_, said, counted) => {
      const { service, merchant, clock } = await openService();
      const start = clock.now();
      const paymentId = await newPayment(service, merchant);
      clock.advance(1000);
      const settledAt = start + said;
      const outcome = await service.useCases.settlePayment(merchant, { paymentId, settledAt });
      expect(outcome).toMatchObject({ ok: true, payment: { settledAt: start + counted } });
    },
  );
});

describe("moving due refunds", () => {
  it("moves more than a batch of 200, each with one event, and those of its clock alone", async () => {
    const open = await openService();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant, { cents: 100_000n });
    const asked = Array.from({ length: 401 }, (_, i) =>
      service.useCases.askRefund(merchant, {
        paymentId,
        amountCents: 1n,
        requestKey: `k${i}`,
        clientReferenceId: null,
        softDescriptor: null,
      }),
    );
    await Promise.all(asked);
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.advance(30 * 86_400_000);
    const now = clock.now();
    expect(await service.useCases.moveDueRefunds({ now, clockId: "other" })).toMatchObject({
      moved: 0,
    });
    const moved = await Promise.all([
      service.useCases.moveDueRefunds({ now, clockId: "live" }),
      service.useCases.moveDueRefunds({ now, clockId: "live" }),
    ]);
    expect(moved.reduce((sum, one) => sum + one.moved, 0)).toBe(401);
    const types = (await events(open)).map(({ type }) => type);
    expect(types.filter((type) => type === "refund.authorized")).toHaveLength(401);
  });
});

describe("a move that a state does not admit", () => {
  it.each([
    ["settle after failure", ["failPayment", "settlePayment"]],
    ["authorize after settlement", ["settlePayment", "authorizePayment"]],
  ] as const)("(%s) is INVALID_TRANSITION and writes nothing", async (_, [first, second]) => {
    const open = await openService();
    const { service, merchant } = open;
    const paymentId = await newPayment(service, merchant);
    expect(await service.useCases[first](merchant, { paymentId })).toMatchObject({ ok: true });
    const before = await events(open);
    expect(await service.useCases[second](merchant, { paymentId })).toEqual({
      ok: false,
      code: "INVALID_TRANSITION",
    });
    expect(await events(open)).toEqual(before);
  });

  it("(cancel after settlement) is INVALID_TRANSITION", async () => {
    const { service, merchant } = await openService();
    const paymentId = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId });
    const outcome = await service.useCases.failPayment(merchant, { paymentId, status: "CANCELED" });
    expect(outcome).toEqual({ ok: false, code: "INVALID_TRANSITION" });
  });

  it("(return of a refund) is INVALID_TRANSITION where the profile knows no late returns", async () => {
    const { service, merchant, clock, call } = await openService();
    const paymentId = await newPayment(service, merchant);
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.advance(30 * 86_400_000);
    const amount = { currency: "USD", value: 1 };
    const { body } = await call("POST", "/v1/refunds", {
      json: { paymentId, amount, requestKey: "k" },
    });
    const refund = body as { paymentId: string };
    expect(await service.useCases.returnRefund(merchant, refund)).toEqual({
      ok: false,
      code: "INVALID_TRANSITION",
    });
  });

  it("[P-PRECONDITION-LINKED] (a payment without a linked account) is CUSTOMER_NOT_LINKED", async () => {
    const { service, merchant } = await openService();
    const person = { firstName: "Bo", lastName: "Li", email: "bo@example.com" };
    const { id: customerId } = await service.useCases.createCustomer(merchant, person);
    expect(await service.useCases.createPayment(merchant, { customerId, amountCents: 1n })).toEqual(
      {
        ok: false,
        code: "CUSTOMER_NOT_LINKED",
      },
    );
  });
});
