import type { Queryable } from "../../driver.ts";
import { givenRows, rowsParameter } from "../../tables/given-rows.ts";

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

/** How old the time of the last success may be before a further one is worth a write, in milliseconds. */
const SUCCESS_MS = 60_000;

const COUNT = givenRows(
  { key: "text", succeeded_at: "bigint", failures: "bigint", at: "bigint" },
  (rows) => `WITH outcomes AS (${rows})
    UPDATE subscriptions SET
      last_success_at = COALESCE(outcomes.succeeded_at, subscriptions.last_success_at),
      consecutive_failures = outcomes.failures +
        CASE WHEN outcomes.succeeded_at IS NULL THEN subscriptions.consecutive_failures ELSE 0 END,
      failing_since = CASE WHEN outcomes.failures = 0 THEN NULL
        WHEN outcomes.succeeded_at IS NULL THEN COALESCE(subscriptions.failing_since, outcomes.at)
        ELSE outcomes.at END
    FROM outcomes
    WHERE subscriptions.key = outcomes.key AND (
      outcomes.failures > 0 OR subscriptions.consecutive_failures > 0
      OR subscriptions.last_success_at IS NULL
      OR subscriptions.last_success_at < outcomes.at - ${SUCCESS_MS})`,
);
const PAUSE = givenRows(
  { key: "text", at: "bigint" },
  (rows) => `WITH failing AS (${rows})
    UPDATE subscriptions SET status = 'PAUSED', updated_at = failing.at FROM failing
    WHERE subscriptions.key = failing.key AND subscriptions.status = 'ACTIVE'
      AND subscriptions.consecutive_failures >= CAST($2 AS bigint)
      AND subscriptions.failing_since <= failing.at - CAST($3 AS bigint)
    RETURNING subscriptions.key`,
);

/**
 * Counts the failures in a row of subscriptions, and pauses those that have failed often and long enough.
 * A success after another one of the same minute is written nowhere.
 *
 * @param outcomes Of each subscription once.
 * @returns The keys of those that this call paused.
 */
export async function countOutcomes(
  tx: Queryable,
  outcomes: readonly SubscriptionOutcomes[],
  pause: PausePolicy,
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  // In one order, so that processes that settle at one time wait for each other only one way.
  const rows = outcomes
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, succeeded, failures, at }) => ({
      key,
      succeeded_at: succeeded ? at : null,
      failures,
      at,
    }));
  await tx.query(COUNT, [rowsParameter(rows)]);
  return pauseFailing(tx, outcomes, pause);
}

async function pauseFailing(
  tx: Queryable,
  outcomes: readonly SubscriptionOutcomes[],
  { failures, afterMs }: PausePolicy,
): Promise<string[]> {
  const failing = outcomes.filter((one) => one.failures > 0).map(({ key, at }) => ({ key, at }));
  if (failing.length === 0) return [];
  const params = [rowsParameter(failing), failures, afterMs];
  const paused = await tx.query<{ key: string }>(PAUSE, params);
  return paused.map(({ key }) => key);
}
