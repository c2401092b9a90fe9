import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { expect, onTestFinished } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import { startReceiver } from "./receiver.ts";
import { refundClient } from "./refund-client.ts";
import { shareDatabase } from "./shared-database.ts";
import { startInstance } from "./start-instance.ts";
import { expectToldOnce } from "./told-once.ts";

/** Calls under way at a time. */
const CALLERS = 16;
const EVERY_MS = 200;

/** What a campaign met. */
export interface Campaign {
  readonly refunds: number;
  readonly unavailable: number;
  readonly terminated: number;
}

/**
 * Ends every connection of a service to its PostgreSQL again and again, while refunds are asked for and
 * events delivered; then expects that the process is still there, and that nothing was lost or done twice.
 */
export async function terminateFor(
  milliseconds: number,
  { address, driver }: { readonly address: string; readonly driver: Driver },
): Promise<Campaign> {
  const receiver = await startReceiver();
  const { token, paymentId } = await shareDatabase(driver, receiver.url);
  const ask = refundClient(token, paymentId);
  const instance = await startInstance(address);
  const admin = new pg.Client({ connectionString: address, application_name: "admin" });
  await admin.connect();
  onTestFinished(() => admin.end());

  const end = Date.now() + milliseconds;
  let [calls, unavailable, terminated] = [0, 0, 0];
  const created = new Set<string>();
  const answered = new Set<string>();
  const callers = Array.from({ length: CALLERS }, async () => {
    while (Date.now() < end) {
      const key = `call-${calls++}`;
      for (;;) {
        const asked = await ask(instance.url, key);
        if (asked === "created") created.add(key);
        if (asked === "created" || asked === "known") break;
        // Nobody ends a call of the service's but its caller.
        expect(asked).toBe("unavailable");
        unavailable += 1;
      }
      answered.add(key);
    }
  });
  const terminating = (async () => {
    while (Date.now() < end) {
      await setTimeout(EVERY_MS);
      // This driver's own connections are called so too.
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'countersign' AND datname = current_database()`,
      );
      terminated += rowCount ?? 0;
    }
  })();
  await Promise.all([...callers, terminating]);

  const waiting = async (): Promise<unknown[]> =>
    driver.query("SELECT id FROM deliveries WHERE state <> 'delivered' LIMIT 1");
  await expect.poll(waiting, { timeout: 30_000, interval: 100 }).toEqual([]);
  expect(instance.isRunning()).toBe(true);
  expect(instance.stderr()).toBe("");
  const keys = await expectToldOnce(driver, paymentId);
  expect(keys).toEqual(answered);
  expect([...created].filter((key) => !keys.has(key))).toEqual([]);
  expect([...receiver.arrivals.values()].filter((times) => times !== 1)).toEqual([]);
  expect(await instance.end()).toBeDefined();
  return { refunds: keys.size, unavailable, terminated };
}
