import { insertRow, type Queryable } from "../driver.ts";

/** A line of the audit log: who changed what. */
export interface AuditLine {
  readonly what:
    | "merchant.create"
    | "merchant.rename"
    | "client.create"
    | "client.rotate"
    | "client.revoke"
    | "customer.create"
    | "payment.create"
    | "payment.settle"
    | "payment.fail"
    | "subscription.pause"
    | "subscription.resume"
    | "delivery.replay";
  /** The id of what was changed. */
  readonly subject: string;
  readonly merchantId: string;
  /** 1 to 64 characters. */
  readonly askedBy: string;
  /** The earlier state of a replayed delivery; a resumed subscription was `PAUSED`. Else `null`. */
  readonly state: string | null;
  /** Attempts of a replayed delivery until then, or failures in a row of a resumed subscription. */
  readonly attempts: number | null;
  /** Time of the merchant's clock for replays and resumes, else real time, in milliseconds. */
  readonly at: number;
}

/** Writes a line, in the transaction of the change. */
export async function recordAction(
  tx: Queryable,
  line: Omit<AuditLine, "state" | "attempts">,
): Promise<void> {
  await insertRow(tx, "audit_log", { ...line });
}

/** The lines of all merchants, the latest first. */
export function listAudit(db: Queryable, { limit }: { limit: number }): Promise<AuditLine[]> {
  return db.query<AuditLine>(
    `SELECT what, subject, merchant_id AS "merchantId", asked_by AS "askedBy", state, attempts, at
     FROM audit_log ORDER BY seq DESC LIMIT $1`,
    [limit],
  );
}
