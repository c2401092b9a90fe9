import type { Queryable } from "../../driver.ts";

/** The clocks that deliveries wait for, due or not; a loose index scan. */
export async function waitingClocks(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `WITH RECURSIVE waiting (id) AS (
       SELECT MIN(clock_id) FROM deliveries WHERE next_at IS NOT NULL
       UNION ALL
       SELECT (SELECT MIN(clock_id) FROM deliveries
               WHERE next_at IS NOT NULL AND clock_id > waiting.id)
       FROM waiting WHERE waiting.id IS NOT NULL
     )
     SELECT id FROM waiting WHERE id IS NOT NULL`,
  );
  return rows.map(({ id }) => id);
}
