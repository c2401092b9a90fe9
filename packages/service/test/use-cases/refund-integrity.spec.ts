import { describe, expect, it } from "vitest";
import { textOf } from "../../src/store/driver.ts";
import { failCommit, failStatement, hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import {
  openService,
  refundOrder,
  storedRows,
  subscription,
  type TestAnswer,
  type TestService,
} from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal, validated } from "../validated.ts";

interface Opened extends TestService {
  readonly hooks: DriverHooks;
  readonly ask: (paymentId: string, cents: number, requestKey?: string) => Promise<TestAnswer>;
}

async function open(): Promise<Opened> {
  const hooks: DriverHooks = {};
  const opened = await openService({ wrap: (driver) => hookedDriver(driver, hooks) });
  const ask: Opened["ask"] = (paymentId, cents, requestKey = "k") => {
    const amount = { currency: "USD", value: cents / 100 };
    return opened.call("POST", "/v1/refunds", {
      json: refundOrder(paymentId, { amount, requestKey }),
    });
  };
  return { ...opened, hooks, ask };
}

/** The debit's reserved cents, and the sum of its refunds. */
async function reserved({ service }: TestService, id: string): Promise<readonly [number, number]> {
  const [debit] = await service.driver.query<{ reserved: number }>(
    "SELECT reserved_cents AS reserved FROM payments WHERE id = $1",
    [id],
  );
  const refunds = await service.driver.query<{ cents: number }>(
    `SELECT amount_cents AS cents FROM payments
      WHERE original_id = $1 AND status IN ('PENDING', 'AUTHORIZED')`,
    [id],
  );
  return [debit?.reserved ?? -1, refunds.reduce((sum, { cents }) => sum + cents, 0)];
}

describe("a refund request whose transaction fails", () => {
  it("stores nothing, whichever statement fails", async () => {
    const opened = await open();
    const paymentId = await newPayment(opened.service, opened.merchant);
    await opened.service.useCases.subscribe(opened.merchant, subscription);
    const before = await storedRows(opened.service);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 201) {
      if (statuses.length > 0) expect(await storedRows(opened.service)).toEqual(before);
      opened.hooks.statement = failStatement(statuses.length + 1);
      statuses.push((await opened.ask(paymentId, 1)).status);
    }
    expect(statuses.length).toBeGreaterThan(6);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([500]));
    expect(await reserved(opened, paymentId)).toEqual([1, 1]);
  });

  it("[P-REFUND-BEFORE-COMMIT] is answered 503 with Retry-After when COMMIT fails; then the key is free", async () => {
    const opened = await open();
    const paymentId = await newPayment(opened.service, opened.merchant);
    const before = await storedRows(opened.service);
    opened.hooks.commit = failCommit;
    const answer = await opened.ask(paymentId, 100);
    expect(refusal(answer)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
    expect(answer.headers["retry-after"]).toBe("1");
    expect(await storedRows(opened.service)).toEqual(before);
    opened.hooks.commit = undefined;
    expect((await opened.ask(paymentId, 100)).status).toBe(201);
  });
});

// SQLite has one writer and never shows what READ COMMITTED may: rows before a neighbour's COMMIT.
describe("a refund request that read rows before a neighbour's COMMIT", () => {
  function readStale({ hooks }: Opened, text: RegExp, stale: (rows: unknown[]) => unknown[]): void {
    hooks.rows = (sql, rows) => {
      if (!text.test(textOf(sql, "sqlite"))) return rows;
      hooks.rows = undefined;
      return stale(rows);
    };
  }

  it("is answered 409 with the neighbour's refund, and reserves nothing, when they share a key", async () => {
    const opened = await open();
    const paymentId = await newPayment(opened.service, opened.merchant, { cents: 1000n });
    const winner = validated("refund", await opened.ask(paymentId, 100));
    readStale(opened, /request_key = \$2/, () => []);
    const answer = await opened.ask(paymentId, 100);
    expect(refusal(answer)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(validated("problem", answer).existing?.paymentId).toBe(winner.paymentId);
    expect(await reserved(opened, paymentId)).toEqual([100, 100]);
  });

  it("is answered 422, and leaves the key free, when the neighbour used up the amount", async () => {
    const opened = await open();
    const paymentId = await newPayment(opened.service, opened.merchant, { cents: 1000n });
    await opened.ask(paymentId, 600, "a");
    readStale(opened, /FOR UPDATE/, (rows) =>
      rows.map((row) => ({ ...(row as object), reservedCents: 0 })),
    );
    const code = "REFUND_AMOUNT_EXCEEDS_REMAINING";
    expect(refusal(await opened.ask(paymentId, 500, "b"))).toEqual({ status: 422, code });
    expect(await reserved(opened, paymentId)).toEqual([600, 600]);
    expect((await opened.ask(paymentId, 400, "b")).status).toBe(201);
  });
});
