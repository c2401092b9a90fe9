import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Housekeeping } from "../src/housekeeping.ts";
import type { Driver } from "../src/store/driver.ts";
import { ManualClock } from "./manual-clock.ts";
import { openService, type TestService } from "./open-service.ts";
import { insert } from "./store/rows.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";

const ROWS = 1_000_000;
/** Calls per second, and the length of a window in milliseconds. Windows with and without the purge take turns. */
const RATE = 40;
const WINDOW_MS = 4000;
const WINDOWS = 10;

async function fill(driver: Driver, merchantId: string): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  await driver.exclusive(async (tx) => {
    await insert(tx, "subscriptions", { key: "sub", merchant_id: merchantId, status: "CLOSED" });
    await tx.query(
      `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
       ${numbers} SELECT 'evt_' || i, $1, 'live', 'refund.pending', 'PAYMENT', $2, 0 FROM n`,
      [merchantId, "x".repeat(500)],
    );
    await tx.query(
      `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state, attempts,
         created_at, last_number, last_started_at, last_duration_ms, last_status)
       ${numbers} SELECT 'dlv_' || i, 'evt_' || i, 'sub', $1, 'live', 'delivered', 1, 0, 1, 0, 5, 204
       FROM n`,
      [merchantId],
    );
  });
}

/** Asks for refunds at a steady rate. @returns How long each took, in milliseconds. */
async function callsOf(
  { refund }: TestService,
  paymentId: string,
  name: string,
): Promise<number[]> {
  const times: number[] = [];
  const calls: Promise<void>[] = [];
  for (let at = 0; at < (RATE * WINDOW_MS) / 1000; at += 1) {
    const begun = performance.now();
    const members = { requestKey: `${name}-${at}`, amount: { currency: "USD", value: 0.01 } };
    calls.push(
      refund(paymentId, members).then(({ status }) => {
        expect(status).toBe(201);
        times.push(performance.now() - begun);
      }),
    );
    await setTimeout(1000 / RATE);
  }
  await Promise.all(calls);
  return times;
}

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? NaN;

onStores([sqlite, postgres], ({ open }) => {
  describe("retention", () => {
    it("at most doubles the p99 of refund calls while it deletes from 1,000,000 finished deliveries", async () => {
      const opened = await openService({ driver: await open(), checksAnswers: false });
      const { driver, merchant, pay, rows } = opened;
      const paymentId = await pay();
      await fill(driver, merchant.id);
      const count = async (): Promise<number> =>
        Number((await rows("SELECT count(*) AS n FROM events"))[0]?.["n"]);
      const failures: unknown[] = [];
      await callsOf(opened, paymentId, "warm");
      const [without, during]: [number[], number[]] = [[], []];
      const before = await count();
      for (let window = 0; window < WINDOWS; window += 1) {
        without.push(...(await callsOf(opened, paymentId, `without-${window}`)));
        const keeper = new Housekeeping({
          driver,
          clock: new ManualClock(90 * 86_400_000),
          retentionMs: 86_400_000,
          failed: (error) => failures.push(error),
        });
        keeper.start();
        during.push(...(await callsOf(opened, paymentId, `during-${window}`)));
        await keeper.stop();
      }
      expect(failures).toEqual([]);
      // 100 events a second.
      expect(before - (await count())).toBeGreaterThan((WINDOWS * WINDOW_MS) / 10);
      expect(p99(during)).toBeLessThanOrEqual(2 * p99(without));
    }, 900_000);
  });
});
