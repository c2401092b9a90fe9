import type { Queryable } from "../../driver.ts";

/** Where a refund stands in the order in which refunds come to be due. */
export interface DuePlace {
  readonly id: string;
  /** Milliseconds of the refund's clock. */
  readonly dueAt: number;
}

/**
 * Where PENDING refunds stand that are due by `now`, of every merchant of the clock, the longest overdue
 * first, from behind `after`. Reads ids and times alone: one row that cannot be read would hide all.
 */
export async function listDueRefunds(
  db: Queryable,
  query: { clockId: string; now: number; after: DuePlace | undefined; limit: number },
): Promise<DuePlace[]> {
  const { clockId, now, after, limit } = query;
  return db.query<{ id: string; dueAt: number }>(
    `SELECT id, due_at AS "dueAt" FROM payments
      WHERE clock_id = $1 AND due_at <= $2 AND (due_at, id) > ($3, $4) AND direction = 'CREDIT'
      ORDER BY due_at, id LIMIT $5`,
    [clockId, now, after?.dueAt ?? Number.MIN_SAFE_INTEGER, after?.id ?? "", limit],
  );
}
