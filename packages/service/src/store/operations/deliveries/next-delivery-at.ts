import type { Queryable } from "../../driver.ts";

/**
 * When the next delivery of a clock is due, in milliseconds of that clock; it may have passed
 * already. `undefined` where none waits.
 *
 * Leased deliveries are left out: they are under way, or wait for the end of a dead worker's lease,
 * which no move of the clock brings nearer. So are those of paused subscriptions.
 *
 * @param realNow Real time, in milliseconds.
 */
export async function nextDeliveryAt(
  db: Queryable,
  { clockId, realNow }: { clockId: string; realNow: number },
): Promise<number | undefined> {
  const [row] = await db.query<{ nextAt: number | null }>(
    `SELECT MIN(next_at) AS "nextAt"
     FROM deliveries JOIN subscriptions ON subscriptions.key = deliveries.subscription_key
     WHERE deliveries.clock_id = $1 AND next_at IS NOT NULL AND leased_until <= $2
       AND subscriptions.status = 'ACTIVE'`,
    [clockId, realNow],
  );
  return row?.nextAt ?? undefined;
}
