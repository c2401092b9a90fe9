import type { Queryable } from "../../driver.ts";

export interface ClaimRequest {
  readonly clockId: string;
  readonly subscriptionKey: string;
  /** At most this many. */
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
  /** The number of the attempt that this claim allows, from 1; the fencing token of its settlement. */
  readonly attempt: number;
  /** The text that is signed and sent. */
  readonly payload: string;
}

/** Claims the due deliveries of one subscription that have waited longest. */
export function claimDeliveries(tx: Queryable, claim: ClaimRequest): Promise<ClaimedDelivery[]> {
  return tx.query<ClaimedDelivery>(
    // Named, the choice is made once; PostgreSQL may repeat one in its place, and pass the limit.
    `WITH due AS (
       SELECT id FROM deliveries
       WHERE clock_id = $2 AND subscription_key = $3 AND next_at <= $4 AND leased_until <= $5
       ORDER BY next_at LIMIT $6 FOR UPDATE SKIP LOCKED)
     UPDATE deliveries SET attempts = attempts + 1, leased_until = $1
     WHERE id IN (SELECT id FROM due)
     RETURNING id, event_id AS "eventId", merchant_id AS "merchantId", attempts AS attempt,
       (SELECT payload FROM events WHERE events.id = deliveries.event_id) AS payload`,
    [
      claim.leasedUntil,
      claim.clockId,
      claim.subscriptionKey,
      claim.now,
      claim.realNow,
      claim.count,
    ],
  );
}
