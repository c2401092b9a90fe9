import type { Queryable } from "../../driver.ts";

/** A line of the audit trail. */
export interface ReplayRecord {
  readonly deliveryId: string;
  readonly askedBy: string;
  /** What the delivery was until then, and after how many attempts. */
  readonly state: string;
  readonly attempts: number;
  /** Time of the delivery's clock, in milliseconds. */
  readonly at: number;
}

/** The merchant's replays, the newest first. */
export function listReplays(
  db: Queryable,
  { merchantId, limit }: { merchantId: string; limit: number },
): Promise<ReplayRecord[]> {
  return db.query<ReplayRecord>(
    `SELECT delivery_id AS "deliveryId", asked_by AS "askedBy", state, attempts, at
     FROM replays WHERE merchant_id = $1 ORDER BY at DESC, delivery_id DESC LIMIT $2`,
    [merchantId, limit],
  );
}
