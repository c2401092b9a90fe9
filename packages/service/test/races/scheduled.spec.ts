import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { textOf, type Driver, type Sql } from "../../src/store/driver.ts";
import { hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import {
  naiveServer,
  serviceServer,
  violations,
  type RefundOrder,
  type RefundServer,
} from "./refund-server.ts";

const PAID = 10;
/** Two to four refunds that do not all fit, some of them with one key. */
const orders = fc.array(
  fc.record({
    requestKey: fc.constantFrom("a", "b", "c"),
    cents: fc.integer({ min: 1, max: PAID }),
  }),
  { minLength: 2, maxLength: 4 },
);

/**
 * A property over live HTTP that fails where some order of the store's steps breaks a refund's
 * promises. The calls are held until all have arrived: only then the scheduler has a choice.
 */
async function everyOrder(
  serve: (driver: Driver) => Promise<RefundServer>,
): Promise<fc.IAsyncPropertyWithHooks<[fc.Scheduler, RefundOrder[]]>> {
  const hooks: DriverHooks = {};
  const pay = await serve(hookedDriver(sqliteDriver(temporaryDatabase()), hooks));
  const schedule = (scheduler: fc.Scheduler | undefined): void => {
    const turn = (sql: Sql): Promise<unknown> | undefined =>
      scheduler?.schedule(Promise.resolve(), textOf(sql, "sqlite").trim().slice(0, 40));
    hooks.query = turn;
    hooks.statement = turn;
    hooks.begin = () => turn("BEGIN");
  };
  let run = 0;
  return fc.asyncProperty(fc.scheduler(), orders, async (scheduler, wanted) => {
    run += 1;
    schedule(undefined);
    const payment = await pay(PAID);
    schedule(scheduler);
    const answers = Promise.all(
      // Keys are a merchant's for ever: each run has its own.
      wanted.map(async ({ requestKey, cents }) => {
        const order = { requestKey: `${run}-${requestKey}`, cents };
        return { ...order, status: await payment.refund(order) };
      }),
    );
    while (scheduler.count() < wanted.length) await setImmediate();
    const asked = await scheduler.waitFor(answers);
    schedule(undefined);
    expect(await violations(payment, PAID, asked)).toEqual([]);
  });
}

describe("simultaneous refunds of one payment, whatever the order of their steps in the store,", () => {
  it("B1 B2 make one refund a key and never exceed the payment", async () => {
    const outcome = await fc.check(await everyOrder(serviceServer), { numRuns: 60 });
    expect(await fc.asyncDefaultReportMessage(outcome)).toBeUndefined();
  });

  it("break both on a server that looks first and writes afterwards, within ten runs", async () => {
    const property = await everyOrder(naiveServer);
    const { failed, numRuns, counterexample } = await fc.check(property, { numRuns: 100 });
    expect(failed).toBe(true);
    expect(numRuns).toBeLessThanOrEqual(10);
    expect(counterexample?.[1]).toHaveLength(2);
  });
});
