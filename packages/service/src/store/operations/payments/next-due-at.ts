import type { Queryable } from "../../driver.ts";

/**
 * When the next PENDING refund of a clock is due, in milliseconds of that clock.
 *
 * @param query `except`: ids of refunds that are not looked at.
 */
export async function nextDueAt(
  db: Queryable,
  { clockId, except }: { clockId: string; except: ReadonlySet<string> },
): Promise<number | undefined> {
  const rows = await db.query<{ id: string; dueAt: number }>(
    `SELECT id, due_at AS "dueAt" FROM payments
      WHERE clock_id = $1 AND due_at IS NOT NULL AND direction = 'CREDIT'
      ORDER BY due_at LIMIT $2`,
    [clockId, except.size + 1],
  );
  return rows.find(({ id }) => !except.has(id))?.dueAt;
}
