import { Deliverer } from "../../src/delivery/deliver.ts";
import { answered, CLOCK_START, fakeTransport, openQueue, policy, type Queue } from "./queue.ts";
import { heapInUse } from "./tls-endpoints.ts";

/** Rows of one transaction. */
const SLICE = 50_000;

/**
 * Puts events in the queues of subscriptions, with a few statements for all.
 *
 * @param key The subscription's key, as SQL of the event's number `i`.
 */
export async function fill(
  queue: Queue,
  {
    count,
    key,
    clock = "clk_1",
    nextAt = CLOCK_START,
    payload = "{}",
    name = "",
  }: {
    readonly count: number;
    readonly key: string;
    readonly clock?: "clk_1" | "live";
    readonly nextAt?: number;
    readonly payload?: string;
    /** Tells the events of one call from those of another. */
    readonly name?: string;
  },
): Promise<void> {
  const owner = `'${clock === "live" ? "mer_live" : "mer_1"}', '${clock}'`;
  for (let from = 0; from < count; from += SLICE) {
    const numbers = `WITH RECURSIVE n (i) AS (SELECT ${String(from)} UNION ALL
      SELECT i + 1 FROM n WHERE i + 1 < ${String(Math.min(count, from + SLICE))})`;
    await queue.driver.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
         ${numbers} SELECT 'evt_${name}' || i, ${owner}, 'refund.authorized', 'PAYMENT', '${payload}', 0 FROM n`,
      );
      await tx.query(
        `INSERT INTO deliveries
           (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
         ${numbers} SELECT 'dlv_${name}' || i, 'evt_${name}' || i, ${key}, ${owner}, 'waiting', $1, 0 FROM n`,
        [nextAt],
      );
    });
  }
}

/** Gives the subscriptions with keys like this, and their deliveries, to another merchant. */
export async function giveAway(queue: Queue, key: string): Promise<void> {
  await queue.write(
    `INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('mer_2', 'M', 'clk_1', 0)
     ON CONFLICT DO NOTHING`,
  );
  await queue.write("UPDATE subscriptions SET merchant_id = 'mer_2' WHERE key LIKE $1", [key]);
  const sql = "UPDATE deliveries SET merchant_id = 'mer_2' WHERE subscription_key LIKE $1";
  await queue.write(sql, [key]);
}

/**
 * Has a deliverer work on deliveries that are all due, until it has attempted so many of them.
 *
 * @returns Bytes of the heap and of the process's memory that this has added.
 */
export async function workOnBacklog(
  due: number,
  attempts: number,
): Promise<{ readonly heap: number; readonly resident: number }> {
  const queue = await openQueue();
  for (let number = 0; number < 200; number += 1) await queue.subscribe(`sub_${number}`);
  await fill(queue, { count: due, key: "'sub_' || (i % 200)" });
  const done = Promise.withResolvers<void>();
  let attempted = 0;
  const transport = fakeTransport(() => {
    attempted += 1;
    if (attempted === attempts) done.resolve();
    // What was posted is kept by the fake one, and would be what grows.
    transport.posts.length = 0;
    return answered(204);
  });
  const before = { heap: heapInUse(), resident: process.memoryUsage().rss };
  const deliverer = new Deliverer(queue.ports(transport), policy);
  deliverer.wake("clk_1");
  await done.promise;
  const heap = heapInUse() - before.heap;
  const resident = process.memoryUsage().rss - before.resident;
  await deliverer.stop({ graceMs: 5000 });
  return { heap, resident };
}
