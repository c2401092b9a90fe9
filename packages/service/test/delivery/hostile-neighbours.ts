import { setTimeout } from "node:timers/promises";
import { createDeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { systemRandom } from "../../src/random.ts";
import { heapInUse } from "./bad-certificates.ts";
import { startHostileServers, type HostileServers } from "./hostile-servers.ts";
import { listenHttp } from "./listening.ts";
import { openQueue, policy, type Queue } from "./queue.ts";

const FRIENDS = 10;
const EVERY_MS = 15;
const DEADLINE_MS = 1000;
/** What waits for each hostile endpoint from the beginning. */
const BACKLOG = 400;

export interface Neighbours {
  /** Milliseconds from COMMIT to the arrival at a receiver that does nothing wrong. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes that the heap has grown by, from the first half to the end. */
  readonly grown: number;
  /** Attempts at the hostile endpoints that are over. */
  readonly hostile: number;
  /** The longest of them, in milliseconds. */
  readonly longest: number;
}

/**
 * Delivers one merchant's events at a steady rate, beside another merchant of whose subscriptions each leads to an
 * endpoint that is hostile in its own way and has a backlog; or beside nobody.
 */
export async function deliverBeside(
  endpoints: "hostile" | "nobody",
  { forMs }: { readonly forMs: number },
): Promise<Neighbours> {
  const queue = await openQueue();
  const arrived = new Map<string, number>();
  const friend = await listenHttp((request, response) => {
    arrived.set(String(request.headers["webhook-id"]), performance.now());
    request.resume().on("end", () => response.writeHead(204).end());
  });
  for (let number = 0; number < FRIENDS; number += 1) {
    await queue.subscribe(`sub_${String(number)}`, { url: friend.url.href, clockId: "live" });
  }
  const servers = endpoints === "hostile" ? await startHostileServers() : undefined;
  if (servers !== undefined) await fillHostile(queue, servers);
  const hostile = { count: 0, longest: 0 };
  const limits = { ...policy, deadlineMs: DEADLINE_MS, leaseMs: DEADLINE_MS + 5000 };
  const transport = undiciTransport({ deadlineMs: DEADLINE_MS, allowLoopback: true });
  const engine = createDeliveryEngine({
    ...queue.ports(transport),
    clock: { now: () => Date.now() },
    random: systemRandom,
    policy: limits,
    moveDueRefunds: async () => ({ passedOver: [] }),
    observer: {
      attempted: ({ attempt: { claim, durationMs } }) => {
        if (!claim.subscription.key.startsWith("hostile")) return;
        hostile.count += 1;
        hostile.longest = Math.max(hostile.longest, durationMs);
      },
    },
  });
  engine.start();
  const waits: number[] = [];
  const committed = new Map<string, number>();
  const start = performance.now();
  let halfway: number | undefined;
  for (let count = 0; performance.now() - start < forMs; count += 1) {
    const key = `sub_${String(count % FRIENDS)}`;
    const id = await queue.enqueue(key, { clockId: "live", nextAt: Date.now() });
    committed.set(id.replace("dlv", "evt"), performance.now());
    engine.onWork();
    await setTimeout(EVERY_MS);
    if (performance.now() - start > forMs / 2) halfway ??= heapInUse();
  }
  while (arrived.size < committed.size) await setTimeout(EVERY_MS);
  const grown = heapInUse() - (halfway ?? 0);
  for (const [id, at] of committed) waits.push((arrived.get(id) ?? Number.NaN) - at);
  await engine.stop({ graceMs: 0 });
  servers?.stop();
  await friend.close();
  // The first ones open connections and compile.
  const sorted = waits.slice(waits.length / 4).toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), grown, hostile: hostile.count, longest: hostile.longest };
}

async function fillHostile(queue: Queue, { kinds, urlOf }: HostileServers): Promise<void> {
  await queue.write(
    "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('mer_hostile', 'M', 'live', 0)",
    [],
  );
  for (const [number, kind] of kinds.entries()) {
    const key = `hostile_${String(number)}`;
    await queue.subscribe(key, { url: urlOf(kind).href, clockId: "live" });
    const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
      WHERE i < ${String(BACKLOG)})`;
    await queue.write(
      `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
       ${numbers} SELECT $1 || '_evt_' || i, 'mer_hostile', 'live', 'refund.authorized', 'PAYMENT', '{}', 0
       FROM n`,
      [key],
    );
    await queue.write(
      `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state, next_at,
         created_at)
       ${numbers} SELECT $1 || '_dlv_' || i, $1 || '_evt_' || i, $1, 'mer_hostile', 'live', 'waiting', 0, 0
       FROM n`,
      [key],
    );
  }
  await queue.write(
    "UPDATE subscriptions SET merchant_id = 'mer_hostile' WHERE key LIKE 'hostile%'",
    [],
  );
}
