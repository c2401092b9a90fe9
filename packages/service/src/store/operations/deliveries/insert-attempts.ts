import type { Queryable, SqlValue } from "../../driver.ts";

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
  const params: SqlValue[] = [];
  const rows = attempts.map((row) => {
    const end = params.push(
      row.deliveryId,
      row.number,
      row.startedAt,
      row.durationMs,
      row.status,
      row.error,
      row.answer,
    );
    return `(${[6, 5, 4, 3, 2, 1, 0].map((back) => `$${end - back}`).join(", ")})`;
  });
  await tx.query(
    `INSERT INTO attempts (delivery_id, number, started_at, duration_ms, status, error, answer)
     VALUES ${rows.join(", ")} ON CONFLICT DO NOTHING`,
    params,
  );
}
