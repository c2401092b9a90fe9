import type { Queryable } from "../../driver.ts";
import type { AttemptRow } from "./attempt-row.ts";
import { givenRows, rowsParameter } from "../../tables/given-rows.ts";

/** What becomes of a delivery after an attempt. */
export interface SettledDelivery {
  readonly id: string;
  /** The attempt that is settled: the fencing token. */
  readonly attempt: number;
  readonly state: "waiting" | "delivered" | "exhausted" | "dropped";
  /** When the next attempt is due in the time of the delivery's clock, where `state` is `waiting`. */
  readonly nextAt: number | null;
}

/** A delivery with the record of the attempt that is settled. */
export interface Settlement {
  readonly settled: SettledDelivery;
  readonly record: AttemptRow;
}

// The record of the latest attempt stands in the delivery's own row, which is written in any case; most
// deliveries have no other one.
const KEEP_EARLIER = givenRows(
  { id: "text", attempt: "bigint" },
  (rows) => `WITH settled AS (${rows})
    INSERT INTO earlier_attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
    SELECT deliveries.id, last_number, last_started_at, last_duration_ms, last_status, last_error,
      last_answer
    FROM settled JOIN deliveries ON deliveries.id = settled.id
    WHERE deliveries.attempts = settled.attempt AND last_number < settled.attempt
    ON CONFLICT DO NOTHING`,
);
const SETTLE = givenRows(
  {
    id: "text",
    attempt: "bigint",
    state: "text",
    next_at: "bigint",
    started_at: "bigint",
    duration_ms: "bigint",
    status: "bigint",
    error: "text",
    answer: "text",
  },
  (rows) => `WITH settled AS (${rows})
    UPDATE deliveries SET
      state = CASE WHEN deliveries.state = 'waiting' OR settled.state = 'delivered'
        THEN settled.state ELSE deliveries.state END,
      next_at = CASE WHEN deliveries.state = 'waiting' THEN settled.next_at END,
      leased_until = 0,
      last_number = settled.attempt, last_started_at = settled.started_at,
      last_duration_ms = settled.duration_ms, last_status = settled.status,
      last_error = settled.error, last_answer = settled.answer
    FROM settled
    WHERE deliveries.id = settled.id AND deliveries.attempts = settled.attempt
      AND (last_number IS NULL OR last_number < settled.attempt)
    RETURNING deliveries.id, deliveries.attempts AS attempt`,
);

/**
 * Writes what became of deliveries with the records of their attempts, and gives their leases back. One
 * whose attempt is not the latest claim's changes nothing: its worker has lost the lease, and another one
 * decides. One that is recorded already, by a transaction whose COMMIT nobody answered, changes nothing either.
 *
 * A delivery that was dropped while its attempt was under way stays dropped, unless the attempt has
 * delivered it.
 *
 * @returns Those that were settled.
 */
export async function settleDeliveries<T extends Settlement>(
  tx: Queryable,
  settlements: readonly T[],
): Promise<T[]> {
  const later = settlements.filter(({ settled }) => settled.attempt > 1);
  if (later.length > 0) {
    const named = later.map(({ settled: { id, attempt } }) => ({ id, attempt }));
    await tx.query(KEEP_EARLIER, [rowsParameter(named)]);
  }
  const changed = await tx.query<{ id: string; attempt: number }>(SETTLE, [
    rowsParameter(
      settlements.map(({ settled: { id, attempt, state, nextAt }, record }) => ({
        id,
        attempt,
        state,
        next_at: nextAt,
        started_at: record.startedAt,
        duration_ms: record.durationMs,
        status: record.status,
        error: record.error,
        answer: record.answer,
      })),
    ),
  ]);
  const attempts = new Map(changed.map(({ id, attempt }) => [id, attempt]));
  return settlements.filter(({ settled: { id, attempt } }) => attempts.get(id) === attempt);
}
