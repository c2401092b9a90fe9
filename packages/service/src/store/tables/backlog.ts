import type { Driver, Queryable, Sql } from "../driver.ts";

/** Counts stop here: so many rows of an index are read in some ten milliseconds; a million would delay calls. */
const MOST_COUNTED = 50_000;
/** Subscriptions with waiting deliveries whose queues are looked into. */
const MOST_QUEUES = 10_000;

/** The backlog in the database. Counts are at most `MOST_COUNTED`; ages are in milliseconds, 0 if nothing is due. */
export interface Backlog {
  /** Deliveries that wait for an attempt, now or later. */
  readonly waiting: number;
  /** Those of active subscriptions whose time has come. */
  readonly due: number;
  readonly oldestDueMs: number;
  /** Deliveries that ran out of attempts. */
  readonly exhausted: number;
  readonly pausedSubscriptions: number;
  /** Refunds whose hold runs. */
  readonly pendingRefunds: number;
  readonly oldestDueRefundMs: number;
  /** Processes that deliver. */
  readonly members: number;
}

const counted = (rows: string): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${MOST_COUNTED}) AS counted)`;

/**
 * Each part reads one partial index (`deliveries_due`, `deliveries_exhausted`, `subscriptions_paused`, `payments_due`)
 * and none a table from end to end. `queues` steps from one subscription with waiting deliveries to the next;
 * `CROSS JOIN` keeps SQLite from another order.
 */
const BACKLOG = `WITH RECURSIVE queues (key, place) AS (
    SELECT min(subscription_key), 1 FROM deliveries WHERE next_at IS NOT NULL
    UNION ALL
    SELECT (SELECT min(subscription_key) FROM deliveries
      WHERE next_at IS NOT NULL AND subscription_key > queues.key), place + 1
    FROM queues WHERE key IS NOT NULL AND place < ${MOST_QUEUES}
  ), active AS (
    SELECT queues.key FROM queues CROSS JOIN subscriptions
    WHERE subscriptions.key = queues.key AND status = 'ACTIVE' AND clock_id = 'live'
  )
  SELECT ${counted("deliveries WHERE next_at IS NOT NULL")} AS waiting,
    ${counted(`active CROSS JOIN deliveries
      WHERE subscription_key = active.key AND next_at <= $1`)} AS due,
    (SELECT min((SELECT min(next_at) FROM deliveries
      WHERE subscription_key = active.key AND next_at IS NOT NULL)) FROM active) AS "oldestDueAt",
    ${counted("deliveries WHERE state = 'exhausted'")} AS exhausted,
    ${counted("subscriptions WHERE status = 'PAUSED'")} AS "pausedSubscriptions",
    ${counted("payments WHERE clock_id = 'live' AND due_at IS NOT NULL")} AS "pendingRefunds",
    (SELECT min(due_at) FROM payments WHERE clock_id = 'live' AND due_at IS NOT NULL) AS "oldestRefundAt",
    (SELECT count(*) FROM delivery_members) AS members`;

// A vacuum that is held back leaves dead entries in the way: the counts are then missing, instead of a slow query.
const BOUND: Sql = {
  sqlite: "SELECT 1",
  // A table that was never analyzed seems small enough to be read from end to end.
  postgres:
    "SET LOCAL statement_timeout = 2000; SET LOCAL jit = off; SET LOCAL enable_seqscan = off",
};

type Ages = "oldestDueMs" | "oldestDueRefundMs";
interface BacklogRow extends Omit<Backlog, Ages> {
  readonly oldestDueAt: number | null;
  readonly oldestRefundAt: number | null;
}

/** @param now What due times of live deliveries compare with, in milliseconds. */
export async function readBacklog(driver: Driver, now: number): Promise<Backlog> {
  const [row] = await driver.transaction(async (tx: Queryable) => {
    await tx.query(BOUND);
    return tx.query<BacklogRow>(BACKLOG, [now]);
  });
  if (row === undefined) throw new TypeError("the database counts nothing");
  const { oldestDueAt, oldestRefundAt, ...counts } = row;
  const ageOf = (at: number | null): number => Math.max(0, now - (at ?? now));
  return { ...counts, oldestDueMs: ageOf(oldestDueAt), oldestDueRefundMs: ageOf(oldestRefundAt) };
}
