import { Deliverer } from "../../src/delivery/deliver.ts";
import { heapInUse } from "./tls-endpoints.ts";
import { answered, CLOCK_START, fakeTransport, openQueue, policy, type Queue } from "./queue.ts";

const SUBSCRIPTIONS = 200;
const SLICE = 50_000;

export interface BacklogMemory {
  /** Bytes of the heap that working on the backlog has added. */
  readonly heap: number;
  /** Bytes of the process that are in memory, added likewise. */
  readonly resident: number;
  readonly attempted: number;
}

/** Has a deliverer work on deliveries that are all due, until it has attempted so many of them. */
export async function workOnBacklog(due: number, attempts: number): Promise<BacklogMemory> {
  const queue = await openQueue();
  for (let number = 0; number < SUBSCRIPTIONS; number += 1) await queue.subscribe(`sub_${number}`);
  for (let from = 0; from < due; from += SLICE)
    await fill(queue, from, Math.min(due, from + SLICE));
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
  return { heap, resident, attempted };
}

/** One event, and deliveries `from` to `to` of as many others that are like it. */
async function fill(queue: Queue, from: number, to: number): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL
    SELECT i + 1 FROM n WHERE i + 1 < ${to})`;
  await queue.write(
    `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
     ${numbers} SELECT 'evt_' || i, 'mer_1', 'clk_1', 'refund.authorized', 'PAYMENT', '{}', 0 FROM n`,
    [],
  );
  await queue.write(
    `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state, next_at,
       created_at)
     ${numbers} SELECT 'dlv_' || i, 'evt_' || i, 'sub_' || (i % ${SUBSCRIPTIONS}), 'mer_1', 'clk_1',
       'waiting', $1, 0 FROM n`,
    [CLOCK_START],
  );
}
