import type { Queryable, SqlValue } from "../../driver.ts";

export interface ClaimRequest {
  readonly clockId: string;
  /** Each once. */
  readonly subscriptionKeys: readonly string[];
  /** At most this many of each. */
  readonly count: number;
  /** The clock's time, in milliseconds. */
  readonly now: number;
  /** Real time, in milliseconds. */
  readonly realNow: number;
  /** Real time until which nobody else may claim them, in milliseconds. */
  readonly leasedUntil: number;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly merchantId: string;
  readonly subscriptionKey: string;
  /** The number of the attempt that this claim allows, from 1; the fencing token of its settlement. */
  readonly attempt: number;
  /** The text that is signed and sent. */
  readonly payload: string;
}

/** Claims the due deliveries of subscriptions that have waited longest; of one that is not active, none. */
export function claimDeliveries(tx: Queryable, claim: ClaimRequest): Promise<ClaimedDelivery[]> {
  const params: SqlValue[] = [claim.leasedUntil, claim.clockId, claim.now, claim.realNow];
  // Named, each choice is made once; PostgreSQL may repeat one in its place, and pass the limit. The
  // limit stands in the text: of a parameter PostgreSQL expects a tenth of the table.
  const choices = padded(claim.subscriptionKeys).map((key, index) => {
    const at = params.push(key);
    return `due_${index} AS (
       SELECT id FROM deliveries
       WHERE clock_id = $2 AND subscription_key = $${at} AND next_at <= $3 AND leased_until <= $4
         AND EXISTS (SELECT 1 FROM subscriptions WHERE key = $${at} AND status = 'ACTIVE')
       ORDER BY next_at LIMIT ${Math.trunc(claim.count)} FOR UPDATE SKIP LOCKED)`;
  });
  const ids = choices.map((_, index) => `SELECT id FROM due_${index}`);
  return tx.query<ClaimedDelivery>(
    `WITH ${choices.join(", ")}
     UPDATE deliveries SET attempts = attempts + 1, leased_until = $1
     WHERE id IN (${ids.join(" UNION ALL ")})
     RETURNING id, event_id AS "eventId", merchant_id AS "merchantId",
       subscription_key AS "subscriptionKey", attempts AS attempt,
       (SELECT payload FROM events WHERE events.id = deliveries.event_id) AS payload`,
    params,
  );
}

/** Filled up with keys of nobody to a power of two, so that few texts are prepared. */
function padded(keys: readonly string[]): readonly string[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, keys.length)));
  return [...keys, ...Array.from({ length: size - keys.length }, () => "")];
}
