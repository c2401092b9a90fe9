import type { PausePolicy } from "../../delivery/policy.ts";
import type { RecordedGroup, DecidedAttempt, Next } from "../../delivery/types.ts";
import { type Queryable, givenRows, rowsParameter } from "../driver.ts";

/**
 * Records attempts: what becomes of their deliveries, and what they say about their subscriptions.
 *
 * An attempt changes its delivery only if the delivery has one completed attempt less: otherwise an attempt of another
 * process with the same number was recorded first, or this very one, by a transaction whose COMMIT was not answered. A
 * delivery that was dropped during its attempt stays dropped, unless the attempt delivered it. The claim of another
 * process, made since this one's had ended, goes on.
 */
export async function recordAttempts(
  tx: Queryable,
  attempts: readonly DecidedAttempt[],
  pause: PausePolicy,
): Promise<RecordedGroup> {
  const recorded = await writeAttempts(tx, attempts);
  const paused = await countOutcomes(tx, outcomesBySubscription(recorded), pause);
  for (const { state, attempt, at } of recorded)
    if (state === "dropped") await endSubscription(tx, attempt.endpoint.key, at);
  return { recorded, paused };
}

// The record of the latest attempt is in the delivery's own row, which is written in any case; most deliveries have
// no other one.
const KEEP_EARLIER = givenRows(
  { id: "text", number: "bigint" },
  (rows) => `WITH done AS (${rows})
    INSERT INTO earlier_attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
    SELECT deliveries.id, last_number, last_started_at, last_duration_ms, last_status, last_error,
      last_answer
    FROM done JOIN deliveries ON deliveries.id = done.id
    WHERE deliveries.attempts = done.number - 1 AND last_number IS NOT NULL
    ON CONFLICT DO NOTHING`,
);
// A replay was requested since the failed attempt's delivery was read: it is due when the replay says so, not at the
// schedule's next step. Every replay moves the due time.
const REPLAYED = `deliveries.state = 'waiting' AND deliveries.next_at <> done.due_at
        AND done.state IN ('waiting', 'exhausted')`;
const COMPLETE = givenRows(
  {
    id: "text",
    number: "bigint",
    state: "text",
    dueAt: "bigint",
    claimedUntil: "bigint",
    nextAt: "bigint",
    startedAt: "bigint",
    durationMs: "bigint",
    status: "bigint",
    error: "text",
    answer: "text",
  },
  (rows) => `WITH done AS (${rows})
    UPDATE deliveries SET
      state = CASE WHEN ${REPLAYED} THEN 'waiting'
        WHEN deliveries.state = 'waiting' OR done.state = 'delivered' THEN done.state
        ELSE deliveries.state END,
      next_at = CASE WHEN ${REPLAYED} THEN deliveries.next_at
        WHEN deliveries.state = 'waiting' THEN done.next_at END,
      attempts = done.number,
      claimed_until = CASE WHEN deliveries.claimed_until = done.claimed_until THEN 0
        ELSE deliveries.claimed_until END,
      last_number = done.number, last_started_at = done.started_at,
      last_duration_ms = done.duration_ms, last_status = done.status,
      last_error = done.error, last_answer = done.answer
    FROM done
    WHERE deliveries.id = done.id AND deliveries.attempts = done.number - 1
    RETURNING deliveries.id, deliveries.state, deliveries.next_at AS "nextAt"`,
);

/** @returns The attempts that changed their delivery, with what became of it. */
async function writeAttempts(
  tx: Queryable,
  attempts: readonly DecidedAttempt[],
): Promise<DecidedAttempt[]> {
  const later = attempts.filter(({ attempt }) => attempt.number > 1);
  if (later.length > 0) {
    const named = later.map(({ attempt }) => ({ id: attempt.delivery.id, number: attempt.number }));
    await tx.query(KEEP_EARLIER, [rowsParameter(named)]);
  }
  // In one order, so that two processes never wait for each other.
  const rows = attempts
    .map(({ attempt: { delivery, answer, number, startedAt, durationMs }, state, nextAt }) => {
      const { id, nextAt: dueAt, claimedUntil } = delivery;
      const said =
        answer.kind === "answered"
          ? { status: answer.status, answer: answer.excerpt }
          : { error: answer.code };
      return { id, number, state, dueAt, claimedUntil, nextAt, startedAt, durationMs, ...said };
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const changed = await tx.query<Next & { id: string }>(COMPLETE, [rowsParameter(rows)]);
  const byId = new Map(changed.map(({ id, ...next }) => [id, next]));
  return attempts.flatMap((one) => {
    const next = byId.get(one.attempt.delivery.id);
    if (next === undefined) return [];
    return next.state === "waiting" ? [{ ...one, ...next }] : [one];
  });
}

/** The result of one group of attempts for a subscription. */
interface SubscriptionOutcomes {
  readonly key: string;
  /** Failed attempts since the last success of the group, or all of them. */
  readonly failures: number;
  /** True if an attempt of the group was delivered. */
  readonly succeeded: boolean;
  /** Time of the subscription's clock, in milliseconds. */
  readonly at: number;
}

function outcomesBySubscription(recorded: readonly DecidedAttempt[]): SubscriptionOutcomes[] {
  const byKey = Map.groupBy(recorded, ({ attempt }) => attempt.endpoint.key);
  return [...byKey].map(([key, group]) => {
    const last = group.findLastIndex(({ state }) => state === "delivered");
    const at = group.at(-1)?.at ?? 0;
    return { key, failures: group.length - 1 - last, succeeded: last >= 0, at };
  });
}

/** A success is written only if the last one that was written is older, in milliseconds: most change nothing. */
const SUCCESS_MS = 60_000;

const COUNT = givenRows(
  { key: "text", succeededAt: "bigint", failures: "bigint", at: "bigint" },
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

/** @returns The keys of the subscriptions that this call paused. */
async function countOutcomes(
  tx: Queryable,
  outcomes: readonly SubscriptionOutcomes[],
  { failures, afterMs }: PausePolicy,
): Promise<string[]> {
  if (outcomes.length === 0) return [];
  const rows = outcomes
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ succeeded, ...one }) => ({ ...one, succeededAt: succeeded ? one.at : null }));
  await tx.query(COUNT, [rowsParameter(rows)]);
  const failing = outcomes.filter((one) => one.failures > 0).map(({ key, at }) => ({ key, at }));
  if (failing.length === 0) return [];
  const paused = await tx.query<{ key: string }>(PAUSE, [
    rowsParameter(failing),
    failures,
    afterMs,
  ]);
  return paused.map(({ key }) => key);
}

/** Closes a subscription whose receiver is gone, and drops its waiting deliveries. */
async function endSubscription(tx: Queryable, key: string, at: number): Promise<void> {
  // Waits for whoever is writing an event for it, so that nothing of it is left behind.
  await tx.query("SELECT key FROM subscriptions WHERE key = $1 FOR UPDATE", [key]);
  const closed = await tx.query(
    `UPDATE subscriptions SET status = 'CLOSED', updated_at = $2
     WHERE key = $1 AND status <> 'CLOSED' RETURNING key`,
    [key, at],
  );
  if (closed.length === 0) return;
  await tx.query(
    `UPDATE deliveries SET state = 'dropped', next_at = NULL
     WHERE subscription_key = $1 AND next_at IS NOT NULL`,
    [key],
  );
}
