import { describe, expect, it } from "vitest";
import { textOf } from "../../src/store/driver.ts";
import { failCommit, failStatement } from "../hooked-driver.ts";
import { openService, storedRows, type TestService } from "../open-service.ts";
import { refusal, validated } from "../validated.ts";

/** A service with a payment of 10.00, and how refunds of it are requested. */
async function open() {
  const opened = await openService();
  const paymentId = await opened.pay({ cents: 1000n });
  const ask = (cents: number, requestKey = "k") =>
    opened.refund(paymentId, { amount: { currency: "USD", value: cents / 100 }, requestKey });
  return { ...opened, ask };
}

/** The debit's reserved cents, and the sum of its refunds. */
const reserved = async ({ rows }: TestService): Promise<unknown[]> => [
  ...(await rows("SELECT reserved_cents AS cents FROM payments WHERE direction = 'DEBIT'")),
  ...(await rows(
    `SELECT CAST(sum(amount_cents) AS bigint) AS cents FROM payments
      WHERE direction = 'CREDIT' AND status IN ('PENDING', 'AUTHORIZED')`,
  )),
];

describe("a refund request whose transaction fails", () => {
  it("[P-EVENT-ATOMIC] stores nothing, whichever statement fails", async () => {
    const opened = await open();
    await opened.subscribe();
    const before = await storedRows(opened);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 201) {
      if (statuses.length > 0) expect(await storedRows(opened)).toEqual(before);
      opened.hooks.statement = failStatement(statuses.length + 1);
      statuses.push((await opened.ask(1)).status);
    }
    expect(statuses.length).toBeGreaterThan(6);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([500]));
    expect(await reserved(opened)).toEqual([{ cents: 1 }, { cents: 1 }]);
  });

  it("is answered 500 when its payment has succeeded without a time, and stores nothing", async () => {
    const opened = await open();
    await opened.write("UPDATE payments SET status = 'SUCCEEDED'");
    const before = await storedRows(opened);
    expect((await opened.ask(1)).status).toBe(500);
    expect(JSON.stringify(opened.lines)).toContain("has no settlement time");
    expect(await storedRows(opened)).toEqual(before);
  });

  it("[P-REFUND-BEFORE-COMMIT] is answered 503 with Retry-After when COMMIT fails; then the key is free", async () => {
    const opened = await open();
    const before = await storedRows(opened);
    opened.hooks.commit = failCommit;
    const answer = await opened.ask(100);
    expect(refusal(answer)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
    expect(answer.headers["retry-after"]).toBe("1");
    expect(await storedRows(opened)).toEqual(before);
    opened.hooks.commit = undefined;
    expect((await opened.ask(100)).status).toBe(201);
  });
});

// SQLite has one writer and never shows what READ COMMITTED may: rows before a neighbour's COMMIT.
describe("a refund request that read rows before a neighbour's COMMIT", () => {
  function readStale(
    { hooks }: TestService,
    text: RegExp,
    stale: (rows: unknown[]) => unknown[],
  ): void {
    hooks.rows = (sql, rows) => {
      if (!text.test(textOf(sql, "sqlite"))) return rows;
      hooks.rows = undefined;
      return stale(rows);
    };
  }

  it("is answered 409 with the neighbour's refund, and reserves nothing, when they share a key", async () => {
    const opened = await open();
    const winner = validated("refund", await opened.ask(100));
    readStale(opened, /request_key = \$2/, () => []);
    const answer = await opened.ask(100);
    expect(refusal(answer)).toEqual({ status: 409, code: "DUPLICATE_REQUEST_KEY" });
    expect(validated("problem", answer).existing?.paymentId).toBe(winner.paymentId);
    expect(await reserved(opened)).toEqual([{ cents: 100 }, { cents: 100 }]);
  });

  it("is answered 422, and leaves the key free, when the neighbour used up the amount", async () => {
    const opened = await open();
    await opened.ask(600, "a");
    readStale(opened, /FOR UPDATE/, (rows) =>
      rows.map((row) => ({ ...(row as object), reservedCents: 0 })),
    );
    const code = "REFUND_AMOUNT_EXCEEDS_REMAINING";
    expect(refusal(await opened.ask(500, "b"))).toEqual({ status: 422, code });
    expect(await reserved(opened)).toEqual([{ cents: 600 }, { cents: 600 }]);
    expect((await opened.ask(400, "b")).status).toBe(201);
  });
});
