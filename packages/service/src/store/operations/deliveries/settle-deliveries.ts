import type { Queryable } from "../../driver.ts";
import { valueRows } from "./value-rows.ts";

/** What becomes of a delivery after an attempt. */
export interface SettledDelivery {
  readonly id: string;
  /** The attempt that is settled: the fencing token. */
  readonly attempt: number;
  readonly state: "waiting" | "delivered" | "exhausted" | "dropped";
  /** When the next attempt is due in the time of the delivery's clock, where `state` is `waiting`. */
  readonly nextAt: number | null;
}

/**
 * Writes what became of deliveries and gives their leases back. One whose attempt is not the latest
 * claim's changes nothing: its worker has lost the lease, and another one decides.
 *
 * A delivery that was dropped while its attempt was under way stays dropped, unless the attempt has
 * delivered it.
 *
 * @returns Those that were settled.
 */
export async function settleDeliveries(
  tx: Queryable,
  settled: readonly SettledDelivery[],
): Promise<SettledDelivery[]> {
  const { text, params } = valueRows(
    ["text", "bigint", "text", "bigint"],
    settled.map(({ id, attempt, state, nextAt }) => [id, attempt, state, nextAt]),
  );
  const changed = await tx.query<{ id: string; attempt: number }>(
    `WITH settled (id, attempt, state, next_at) AS (${text})
     UPDATE deliveries SET
       state = CASE WHEN deliveries.state = 'waiting' OR settled.state = 'delivered'
         THEN settled.state ELSE deliveries.state END,
       next_at = CASE WHEN deliveries.state = 'waiting' THEN settled.next_at END,
       leased_until = 0
     FROM settled
     WHERE deliveries.id = settled.id || '' AND deliveries.attempts = settled.attempt + 0
     RETURNING deliveries.id, deliveries.attempts AS attempt`,
    params,
  );
  const attempts = new Map(changed.map(({ id, attempt }) => [id, attempt]));
  return settled.filter(({ id, attempt }) => attempts.get(id) === attempt);
}
