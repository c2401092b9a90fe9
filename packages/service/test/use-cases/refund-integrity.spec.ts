import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textOf } from "../../src/store/driver.ts";
import { failCommit, failStatement, hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { expectToldOnce } from "../instances/told-once.ts";
import {
  openService,
  refundOrder,
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

const everything = ({ service }: TestService): Promise<unknown> =>
  Promise.all(
    ["payments", "events", "deliveries", "tokens", "subscriptions"].map((table) =>
      service.driver.query(`SELECT * FROM ${table}`),
    ),
  );

describe("the refunds of one payment", () => {
  type Move =
    | { readonly type: "ask"; readonly cents: readonly number[] }
    | { readonly type: "settle" | "fail" | "cover" | "sweep" };
  const move: fc.Arbitrary<Move> = fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("ask" as const),
        cents: fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 6 }),
      }),
    },
    fc.record({ type: fc.constantFrom("settle" as const, "sweep") }),
    fc.record({ type: fc.constantFrom("fail" as const, "cover") }),
  );

  it("[P-EVENT-EACH-STATE] never exceed it, reserve what they should, and report each state once, whatever happens", async () => {
    const opened = await open();
    const { service, merchant, clock, ask } = opened;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 8 }), async (moves) => {
        run++;
        const paymentId = await newPayment(service, merchant, { cents: 1000n });
        for (const [at, step] of moves.entries()) {
          const named = { paymentId };
          if (step.type === "ask") {
            const before = await reserved(opened, paymentId);
            const answers = await Promise.all(
              step.cents.map((cents, i) => ask(paymentId, cents, `${run}-${at}-${i}`)),
            );
            const [after] = await reserved(opened, paymentId);
            // Each one that was refused did not fit beside those that were accepted.
            const refused = step.cents.filter((_, i) => answers[i]?.status !== 201);
            expect(after + Math.min(...refused)).toBeGreaterThan(1000);
            expect(after).toBeGreaterThanOrEqual(before[0]);
          } else if (step.type === "settle") await service.useCases.settlePayment(merchant, named);
          else if (step.type === "fail") await service.useCases.failPayment(merchant, named);
          else if (step.type === "cover") await service.useCases.coverPayment(merchant, named);
          else {
            clock.advance(7 * 86_400_000);
            await service.useCases.moveDueRefunds({ now: clock.now(), clockId: "live" });
          }
          const [row, sum] = await reserved(opened, paymentId);
          expect(row).toBe(sum);
          expect(row).toBeLessThanOrEqual(1000);
        }
        await expectToldOnce(service.driver, paymentId, 0);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a refund request whose transaction fails", () => {
  it("stores nothing, whichever statement fails", async () => {
    const opened = await open();
    const paymentId = await newPayment(opened.service, opened.merchant);
    await opened.service.useCases.subscribe(opened.merchant, subscription);
    const before = await everything(opened);
    const statuses: number[] = [];
    while (statuses.at(-1) !== 201) {
      if (statuses.length > 0) expect(await everything(opened)).toEqual(before);
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
    const before = await everything(opened);
    opened.hooks.commit = failCommit;
    const answer = await opened.ask(paymentId, 100);
    expect(refusal(answer)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
    expect(answer.headers["retry-after"]).toBe("1");
    expect(await everything(opened)).toEqual(before);
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
