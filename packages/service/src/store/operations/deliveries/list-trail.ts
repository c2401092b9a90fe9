import type { Queryable } from "../../driver.ts";

/** A line of the audit trail of all merchants. */
export interface TrailLine {
  readonly what: "replay" | "resume";
  /** The delivery of a replay, the subscription of a resume. */
  readonly id: string;
  readonly merchantId: string;
  readonly askedBy: string;
  /** What a delivery was until then; a subscription was `PAUSED`. */
  readonly state: string;
  /** Attempts of the delivery until then, or failures in a row of the subscription. */
  readonly attempts: number;
  /** Time of the merchant's clock, in milliseconds. */
  readonly at: number;
}

/** Who had deliveries attempted again or subscriptions resumed, the latest first. */
export function listTrail(db: Queryable, { limit }: { limit: number }): Promise<TrailLine[]> {
  return db.query<TrailLine>(
    `SELECT 'replay' AS what, delivery_id AS id, merchant_id AS "merchantId", asked_by AS "askedBy",
       state, attempts, at FROM replays
     UNION ALL
     SELECT 'resume', subscription_key, merchant_id, asked_by, 'PAUSED', failures, at FROM resumes
     ORDER BY at DESC, id LIMIT $1`,
    [limit],
  );
}
