import { describe, expect, it } from "vitest";
import { openService, type TestAnswer, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { StaleDriver } from "../stale-driver.ts";
import { refusal, validated } from "../validated.ts";

async function openStale(): Promise<TestService & { readonly driver: StaleDriver }> {
  let driver: StaleDriver | undefined;
  const open = await openService({ wrap: (inner) => (driver = new StaleDriver(inner)) });
  if (driver === undefined) throw new Error("no driver");
  return { ...open, driver };
}

const ask = (
  { call }: TestService,
  paymentId: string,
  requestKey: string,
  value: number,
): Promise<TestAnswer> =>
  call("POST", "/v1/refunds", {
    json: { paymentId, amount: { currency: "USD", value }, requestKey },
  });

const reserved = async ({ service }: TestService): Promise<unknown> => {
  const [row] = await service.driver.query(
    "SELECT reserved_cents AS cents FROM payments WHERE direction = 'DEBIT'",
  );
  return row?.["cents"];
};

describe("a refund whose look-up came before a neighbour's COMMIT", () => {
  it("is 409 with the neighbour's refund, and reserves nothing, where they share a key", async () => {
    const open = await openStale();
    const paymentId = await newPayment(open.service, open.merchant, { cents: 1000n });
    const winner = validated("refund", await ask(open, paymentId, "k", 1));
    open.driver.stale = { text: /request_key = \$2/, rows: () => [] };
    const answer = await ask(open, paymentId, "k", 1);
    expect(refusal(answer)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(validated("problem", answer).existing?.paymentId).toBe(winner.paymentId);
    expect(await reserved(open)).toBe(100);
  });

  it("is 422, and leaves the key free, where the neighbour took the amount", async () => {
    const open = await openStale();
    const paymentId = await newPayment(open.service, open.merchant, { cents: 1000n });
    await ask(open, paymentId, "a", 6);
    open.driver.stale = {
      text: /FOR UPDATE/,
      rows: (rows) => rows.map((row) => ({ ...(row as object), reservedCents: 0 })),
    };
    expect(refusal(await ask(open, paymentId, "b", 5))).toEqual({
      status: 422,
      code: "REFUND_AMOUNT_EXCEEDS_REMAINING",
    });
    expect(await reserved(open)).toBe(600);
    expect((await ask(open, paymentId, "b", 4)).status).toBe(201);
  });
});

describe("a refund that has changed since it was read", () => {
  it("is not moved, and no event tells of it", async () => {
    const open = await openStale();
    const { service, merchant, clock } = open;
    const paymentId = await newPayment(service, merchant);
    await ask(open, paymentId, "k", 1);
    await service.useCases.settlePayment(merchant, { paymentId });
    clock.advance(30 * 86_400_000);
    const due = { now: clock.now(), clockId: "live" };
    await service.useCases.moveDueRefunds(due);
    const [row] = await service.driver.query(
      `SELECT id, merchant_id AS "merchantId", clock_id AS "clockId", direction,
        original_id AS "originalId", amount_cents AS "amountCents", 'PENDING' AS status, 0 AS "dueAt"
        FROM payments WHERE direction = 'CREDIT'`,
    );
    await service.driver.transaction((tx) =>
      tx.query("UPDATE payments SET due_at = 0 WHERE direction = 'CREDIT'"),
    );
    open.driver.stale = { text: /due_at <= \$2/, rows: () => [row] };
    const { moved, passedOver } = await service.useCases.moveDueRefunds(due);
    expect([moved, passedOver.length]).toEqual([0, 1]);
    expect(String(passedOver[0]?.error)).toContain("changed under its lock");
    const events = await service.driver.query(
      "SELECT id FROM events WHERE type = 'refund.authorized'",
    );
    expect(events).toHaveLength(1);
  });
});
