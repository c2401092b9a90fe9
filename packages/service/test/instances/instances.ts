import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { Agent, request } from "undici";
import { expect, onTestFinished } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import { startReceiver } from "../delivery/listening.ts";
import { shareDatabase } from "./shared-database.ts";
import { startInstance } from "./start-instance.ts";
import { expectToldOnce } from "./told-once.ts";

interface Store {
  readonly create: () => Promise<string>;
  readonly open: (address: string) => Promise<Driver>;
}

/** A database with a merchant whose events arrive at a receiver. */
async function openShared({ create, open }: Store) {
  const address = await create();
  const driver = await open(address);
  const { arrived, url } = await startReceiver(204);
  const shared = await shareDatabase(driver, url);
  const count = async (sql: string): Promise<number> => {
    const text = `SELECT CAST(count(*) AS bigint) AS n FROM ${sql}`;
    return (await driver.query<{ n: number }>(text))[0]?.n ?? -1;
  };
  /** Expects that each event arrived once. */
  const expectArrivedOnce = async (): Promise<void> => {
    const ids = arrived.map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(await count("deliveries"));
  };
  return { ...shared, address, driver, count, expectArrivedOnce };
}

/**
 * Kills a process after so many answered refunds, once for each number; then expects that each refund has its
 * event or neither is stored and its key is free.
 */
export async function killAfter(store: Store, answers: readonly number[]): Promise<void> {
  const { address, driver, token, paymentId } = await openShared(store);
  const ask = refundClient(token, paymentId);
  const created: string[] = [];
  const lost: string[] = [];
  for (const [round, enough] of answers.entries()) {
    const instance = await startInstance(address);
    const { promise: killing, resolve: kill } = Promise.withResolvers<void>();
    let answered = 0;
    const calls = Array.from({ length: 40 }, async (_, index) => {
      const key = `round-${round}-${index}`;
      const asked = await ask(instance.url, key);
      if (asked === "lost") lost.push(key);
      else if (asked === "created") created.push(key);
      if (++answered === enough) kill();
    });
    await killing;
    await instance.kill();
    await Promise.all(calls);
  }
  const keys = await expectToldOnce(driver, paymentId);
  expect(created.filter((key) => !keys.has(key))).toEqual([]);
  // Both sides of the kill were met, or the rounds proved nothing.
  expect(created.length).toBeGreaterThan(0);
  expect(lost.filter((key) => !keys.has(key)).length).toBeGreaterThan(0);
  const instance = await startInstance(address);
  const some = lost.slice(0, 20);
  const again = await Promise.all(some.map((key) => ask(instance.url, key)));
  expect(again).toEqual(some.map((key) => (keys.has(key) ? "known" : "created")));
  await expectToldOnce(driver, paymentId);
  await instance.kill();
}

/** Lets processes share due refunds and their deliveries; expects that none is done twice. */
export async function shareWork(store: Store, processes: number, refunds: number): Promise<void> {
  const { address, driver, paymentId, askDueRefunds, count, expectArrivedOnce } =
    await openShared(store);
  await askDueRefunds(refunds);
  const starting = Array.from({ length: processes }, () => startInstance(address));
  const instances = await Promise.all(starting);
  await expect
    .poll(() => count("deliveries WHERE state = 'delivered'"), { timeout: 20_000, interval: 50 })
    .toBeGreaterThanOrEqual(2 * refunds);
  const done = await Promise.all(instances.map((one) => one.end()));
  const of = (name: "attempts" | "moved" | "failures") => done.map((one) => one?.[name] ?? -1);
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  expect(of("failures")).toEqual(instances.map(() => 0));
  // One may have been faster than the others had started; each did something.
  const work = done.map((one) => (one?.attempts ?? 0) + (one?.moved ?? 0));
  expect(Math.min(...work)).toBeGreaterThan(0);
  expect(sum(of("moved"))).toBe(refunds);
  expect(await count("events WHERE type = 'refund.authorized'")).toBe(refunds);
  expect((await expectToldOnce(driver, paymentId)).size).toBe(refunds);
  const deliveries = await count("deliveries");
  expect([sum(of("attempts")), await count("attempts")]).toEqual([deliveries, deliveries]);
  await expectArrivedOnce();
}

/**
 * Ends every connection of a service to its PostgreSQL each 200 ms, while refunds are requested and events
 * delivered; then expects that the process still runs, and that nothing was lost or done twice.
 */
export async function terminateFor(store: Store, milliseconds: number): Promise<object> {
  const { address, driver, token, paymentId, count, expectArrivedOnce } = await openShared(store);
  const ask = refundClient(token, paymentId);
  const instance = await startInstance(address);
  const admin = new pg.Client({ connectionString: address, application_name: "admin" });
  await admin.connect();
  onTestFinished(() => admin.end());
  const end = Date.now() + milliseconds;
  let [calls, unavailable, terminated] = [0, 0, 0];
  const created = new Set<string>();
  const answered = new Set<string>();
  const callers = Array.from({ length: 16 }, async () => {
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
      await setTimeout(200);
      // This driver's own connections have the same name.
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'countersign' AND datname = current_database()`,
      );
      terminated += rowCount ?? 0;
    }
  })();
  await Promise.all([...callers, terminating]);
  const waiting = () => count("deliveries WHERE state <> 'delivered'");
  await expect.poll(waiting, { timeout: 30_000, interval: 100 }).toBe(0);
  expect([instance.isRunning(), instance.stderr()]).toEqual([true, ""]);
  const keys = await expectToldOnce(driver, paymentId);
  expect(keys).toEqual(answered);
  expect([...created].filter((key) => !keys.has(key))).toEqual([]);
  await expectArrivedOnce();
  expect(await instance.end()).toBeDefined();
  expect(keys.size).toBeGreaterThan(0);
  expect(terminated).toBeGreaterThan(milliseconds / 1000);
  return { refunds: keys.size, unavailable, terminated };
}

type Asked = "created" | "known" | "unavailable" | "lost";

/** Asks a service for refunds of 0.01, and says what came of each. */
function refundClient(token: string, paymentId: string) {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  return async (url: string, requestKey: string): Promise<Asked> => {
    let answer;
    try {
      answer = await request(`${url}/v1/refunds`, {
        method: "POST",
        dispatcher,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ paymentId, amount: { currency: "USD", value: 0.01 }, requestKey }),
      });
      await answer.body.dump();
    } catch {
      return "lost";
    }
    const statuses: Record<number, Asked> = { 201: "created", 409: "known", 503: "unavailable" };
    const asked = statuses[answer.statusCode];
    if (asked === undefined) throw new Error(`refunds are answered ${answer.statusCode}`);
    return asked;
  };
}
