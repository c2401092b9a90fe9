import type { HostileServers } from "./hostile-servers.ts";
import type { Queue } from "./queue.ts";

/** What waits for each hostile endpoint from the beginning. */
const BACKLOG = 400;

/** One merchant with a subscription at each hostile endpoint, each with a backlog that is due. */
export async function fillHostile(queue: Queue, { kinds, urlOf }: HostileServers): Promise<void> {
  await queue.write(
    "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('mer_hostile', 'M', 'live', 0)",
    [],
  );
  for (const [number, kind] of kinds.entries()) {
    await queue.subscribe(`hostile_${String(number)}`, { url: urlOf(kind).href, clockId: "live" });
  }
  await queue.write(
    "UPDATE subscriptions SET merchant_id = 'mer_hostile' WHERE key LIKE 'hostile%'",
    [],
  );
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
    WHERE i < ${String(BACKLOG)})`;
  const all = "FROM n, subscriptions WHERE subscriptions.merchant_id = 'mer_hostile'";
  await queue.write(
    `INSERT INTO events (id, merchant_id, clock_id, type, category, payload, created_at)
     ${numbers} SELECT key || '_evt_' || i, 'mer_hostile', 'live', 'refund.authorized', 'PAYMENT', '{}', 0
     ${all}`,
    [],
  );
  await queue.write(
    `INSERT INTO deliveries (id, event_id, subscription_key, merchant_id, clock_id, state, next_at,
       created_at)
     ${numbers} SELECT key || '_dlv_' || i, key || '_evt_' || i, key, 'mer_hostile', 'live', 'waiting', 0, 0
     ${all}`,
    [],
  );
}
