import type { Queryable } from "../../driver.ts";
import { valueRows } from "./value-rows.ts";

export interface AttemptRow {
  readonly deliveryId: string;
  readonly number: number;
  /** Real time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The answer's status; `null` without an answer. */
  readonly status: number | null;
  /** An `AttemptErrorCode`; `null` with an answer. */
  readonly error: string | null;
  /** The first 1 KiB of the answer as text; `null` without an answer. */
  readonly answer: string | null;
}

/** Writes the record of attempts; one that is recorded already stays as it is. */
export async function insertAttempts(
  tx: Queryable,
  attempts: readonly AttemptRow[],
): Promise<void> {
  if (attempts.length === 0) return;
  const { text, params } = valueRows(
    ["text", "bigint", "bigint", "bigint", "bigint", "text", "text"],
    attempts.map((row) => [
      row.deliveryId,
      row.number,
      row.startedAt,
      row.durationMs,
      row.status,
      row.error,
      row.answer,
    ]),
  );
  await tx.query(
    `WITH made (delivery_id, number, started_at, duration_ms, status, error, answer) AS (${text})
     INSERT INTO attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
     SELECT delivery_id, number, started_at, duration_ms, status, error, answer FROM made
     WHERE delivery_id IS NOT NULL ON CONFLICT DO NOTHING`,
    params,
  );
}
