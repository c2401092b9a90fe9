import type { Queryable } from "../../driver.ts";

/**
 * Closes a subscription whose receiver is gone, and drops what still waits for it.
 *
 * @param at Time of the subscription's clock, in milliseconds.
 */
export async function endSubscription(tx: Queryable, key: string, at: number): Promise<void> {
  // Who writes an event for it meanwhile is waited for, so that nothing of it stays behind.
  await tx.query("SELECT key FROM subscriptions WHERE key = $1 FOR UPDATE", [key]);
  const [closed] = await tx.query<{ clockId: string }>(
    `UPDATE subscriptions SET status = 'CLOSED', updated_at = $2
     WHERE key = $1 AND status <> 'CLOSED' RETURNING clock_id AS "clockId"`,
    [key, at],
  );
  if (closed === undefined) return;
  await tx.query(
    `UPDATE deliveries SET state = 'dropped', next_at = NULL
     WHERE clock_id = $1 AND subscription_key = $2 AND next_at IS NOT NULL`,
    [closed.clockId, key],
  );
}
