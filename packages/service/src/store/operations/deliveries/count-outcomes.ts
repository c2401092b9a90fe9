import type { Queryable } from "../../driver.ts";

/** What the attempts of one settled group say of a subscription. */
export interface SubscriptionOutcomes {
  readonly key: string;
  /** Failed attempts since the last success of the group, or all of them. */
  readonly failures: number;
  /** Whether an attempt of the group was delivered. */
  readonly succeeded: boolean;
  /** Time of the subscription's clock, in milliseconds. */
  readonly at: number;
}

/** When a failing subscription is paused: both must hold. */
export interface PausePolicy {
  /** Failed attempts in a row, 1 or more. */
  readonly failures: number;
  /** Milliseconds since the first of them. */
  readonly afterMs: number;
}

/**
 * Counts a subscription's failures in a row, and pauses it once it has failed often and long enough.
 *
 * @returns Whether this call paused it.
 */
export async function countOutcomes(
  tx: Queryable,
  outcomes: SubscriptionOutcomes,
  pause: PausePolicy,
): Promise<boolean> {
  if (outcomes.succeeded) {
    await tx.query(
      `UPDATE subscriptions SET last_success_at = $2, consecutive_failures = 0, failing_since = NULL
       WHERE key = $1`,
      [outcomes.key, outcomes.at],
    );
  }
  if (outcomes.failures === 0) return false;
  await tx.query(
    `UPDATE subscriptions SET consecutive_failures = consecutive_failures + $2,
       failing_since = COALESCE(failing_since, $3)
     WHERE key = $1`,
    [outcomes.key, outcomes.failures, outcomes.at],
  );
  const paused = await tx.query(
    `UPDATE subscriptions SET status = 'PAUSED', updated_at = $2
     WHERE key = $1 AND status = 'ACTIVE' AND consecutive_failures >= $3 AND failing_since <= $4
     RETURNING key`,
    [outcomes.key, outcomes.at, pause.failures, outcomes.at - pause.afterMs],
  );
  return paused.length > 0;
}
