import { answered, CLOCK_START, fakeTransport, openQueue, type Queue } from "./queue.ts";
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
    nextAt = CLOCK_START,
    name = "",
  }: {
    readonly count: number;
    readonly key: string;
    readonly nextAt?: number;
    /** Tells the events of one call from those of another. */
    readonly name?: string;
  },
): Promise<void> {
  for (let from = 0; from < count; from += SLICE) {
    const rows = `WITH RECURSIVE n (i) AS (SELECT ${String(from)} UNION ALL
      SELECT i + 1 FROM n WHERE i + 1 < ${String(Math.min(count, from + SLICE))})`;
    const owner = `n JOIN subscriptions ON key = ${key}`;
    await queue.driver.transaction(async (tx) => {
      await tx.query(
        `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
         ${rows} SELECT 'evt_${name}' || i, merchant_id, clock_id, 'refund.authorized', 'PAYMENT', '{}', 0
         FROM ${owner}`,
      );
      await tx.query(
        `INSERT INTO deliveries
           (id, event_id, subscription_key, merchant_id, clock_id, state, next_at, created_at)
         ${rows} SELECT 'dlv_${name}' || i, 'evt_${name}' || i, key, merchant_id, clock_id, 'waiting', $1, 0
         FROM ${owner}`,
        [nextAt],
      );
    });
  }
}

/**
 * Has an engine work on deliveries that are all due, until it has attempted so many of them.
 *
 * @returns Bytes of the heap and of the process's memory that this has added.
 */
export async function workOnBacklog(
  due: number,
  attempts: number,
): Promise<{ readonly heap: number; readonly resident: number }> {
  const queue = await openQueue();
  for (let number = 0; number < 200; number += 1)
    await queue.subscribe(`sub_${number}`, { clockId: "live" });
  await fill(queue, { count: due, key: "'sub_' || (i % 200)", nextAt: 0 });
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
  const engine = queue.engine(transport);
  await done.promise;
  const heap = heapInUse() - before.heap;
  const resident = process.memoryUsage().rss - before.resident;
  await engine.stop({ graceMs: 5000 });
  return { heap, resident };
}
