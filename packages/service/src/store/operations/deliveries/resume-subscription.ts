import type { Queryable } from "../../driver.ts";

export type ResumeOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "SUBSCRIPTION_NOT_FOUND" | "SUBSCRIPTION_CLOSED" };

export interface Resume {
  readonly merchantId: string;
  readonly key: string;
  /** Time of the subscription's clock, in milliseconds. */
  readonly at: number;
  /** For the audit trail: 1 to 64 characters. Default `merchant`. */
  readonly askedBy?: string;
}

/**
 * Lets a paused subscription go on: what waits for it is attempted, its failures are counted from the
 * beginning, and who asked is written. An active one stays as it is; a closed one never opens again.
 */
export async function resumeSubscription(
  tx: Queryable,
  { merchantId, key, at, askedBy = "merchant" }: Resume,
): Promise<ResumeOutcome> {
  const [subscription] = await tx.query<{ status: string; failures: number }>(
    `SELECT status, consecutive_failures AS failures FROM subscriptions
     WHERE merchant_id = $1 AND key = $2 FOR UPDATE`,
    [merchantId, key],
  );
  if (subscription === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
  if (subscription.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
  if (subscription.status !== "PAUSED") return { ok: true };
  await tx.query(
    `UPDATE subscriptions
     SET status = 'ACTIVE', consecutive_failures = 0, failing_since = NULL, updated_at = $3
     WHERE merchant_id = $1 AND key = $2`,
    [merchantId, key, at],
  );
  await tx.query(
    `INSERT INTO resumes (subscription_key, merchant_id, asked_by, failures, at)
     VALUES ($1, $2, $3, $4, $5)`,
    [key, merchantId, askedBy, subscription.failures, at],
  );
  return { ok: true };
}
