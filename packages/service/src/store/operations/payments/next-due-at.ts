import type { Queryable } from "../../driver.ts";

/** When the next PENDING refund of a clock is due, in milliseconds of that clock. */
export async function nextDueAt(db: Queryable, clockId: string): Promise<number | undefined> {
  const [row] = await db.query<{ dueAt: number }>(
    `SELECT due_at AS "dueAt" FROM payments WHERE clock_id = $1 AND due_at IS NOT NULL
      ORDER BY due_at LIMIT 1`,
    [clockId],
  );
  return row?.dueAt;
}
