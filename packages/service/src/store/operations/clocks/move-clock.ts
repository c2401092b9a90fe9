import type { Queryable } from "../../driver.ts";

/** Sets a namespace's clock forward; `false` where it already stands later, and for `live`. */
export async function moveClock(
  tx: Queryable,
  { id, instant }: { id: string; instant: number },
): Promise<boolean> {
  const rows = await tx.query(
    "UPDATE clocks SET instant = $2 WHERE id = $1 AND instant <= $2 RETURNING id",
    [id, instant],
  );
  return rows.length === 1;
}
