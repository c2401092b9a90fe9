import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import {
  naiveServer,
  serviceServer,
  type RefundOrder,
  type RefundServer,
  type ServerOptions,
} from "./refund-server.ts";
import { ScheduledDriver } from "./scheduled-driver.ts";
import { violations } from "./violations.ts";

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
  server: (options: ServerOptions) => Promise<RefundServer>,
): Promise<fc.IAsyncPropertyWithHooks<[fc.Scheduler, RefundOrder[]]>> {
  const driver = new ScheduledDriver(sqliteDriver(temporaryDatabase()));
  const { pay } = await server({ driver });
  let run = 0;
  return fc.asyncProperty(fc.scheduler(), orders, async (scheduler, wanted) => {
    run += 1;
    driver.scheduler = undefined;
    const payment = await pay(PAID);
    driver.scheduler = scheduler;
    const answers = Promise.all(
      // Keys are a merchant's for ever: each run has its own.
      wanted.map(async ({ requestKey, cents }) => {
        const order = { requestKey: `${run}-${requestKey}`, cents };
        return { ...order, status: await payment.refund(order) };
      }),
    );
    while (scheduler.count() < wanted.length) await setImmediate();
    const asked = await scheduler.waitFor(answers);
    driver.scheduler = undefined;
    expect(await violations(payment, { paid: PAID, asked })).toEqual([]);
  });
}

describe("refunds of one payment over HTTP, whatever order their steps in the store come in", () => {
  it("B1 B2 keep to one refund a key and to the payment's amount", async () => {
    const outcome = await fc.check(await everyOrder(serviceServer), { numRuns: 100 });
    expect(await fc.asyncDefaultReportMessage(outcome)).toBeUndefined();
  });

  it("break both where they are looked up first and written afterwards, in few and small steps", async () => {
    const property = await everyOrder(naiveServer);
    const { failed, numRuns, counterexample } = await fc.check(property, { numRuns: 100 });
    expect(failed).toBe(true);
    expect(numRuns).toBeLessThanOrEqual(10);
    expect(counterexample?.[1]).toHaveLength(2);
  });
});
