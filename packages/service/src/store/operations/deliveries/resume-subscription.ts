import type { Queryable } from "../../driver.ts";

export type ResumeOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: "SUBSCRIPTION_NOT_FOUND" | "SUBSCRIPTION_CLOSED" };

/**
 * Lets a paused subscription go on: what waits for it is attempted, and its failures are counted from
 * the beginning. An active one stays as it is; a closed one never opens again.
 */
export async function resumeSubscription(
  tx: Queryable,
  { merchantId, key, at }: { merchantId: string; key: string; at: number },
): Promise<ResumeOutcome> {
  const [subscription] = await tx.query<{ status: string }>(
    "SELECT status FROM subscriptions WHERE merchant_id = $1 AND key = $2 FOR UPDATE",
    [merchantId, key],
  );
  if (subscription === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
  if (subscription.status === "CLOSED") return { ok: false, code: "SUBSCRIPTION_CLOSED" };
  await tx.query(
    `UPDATE subscriptions
     SET status = 'ACTIVE', consecutive_failures = 0, failing_since = NULL, updated_at = $3
     WHERE merchant_id = $1 AND key = $2 AND status = 'PAUSED'`,
    [merchantId, key, at],
  );
  return { ok: true };
}
