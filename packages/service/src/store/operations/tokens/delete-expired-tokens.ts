import type { Queryable } from "../../driver.ts";

/** Deletes tokens that had expired by `now`, in real time. @returns How many: at most `limit`. */
export async function deleteExpiredTokens(
  tx: Queryable,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const rows = await tx.query(
    `WITH expired AS (
       SELECT hash FROM tokens WHERE expires_at <= $1
       ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     DELETE FROM tokens WHERE hash IN (SELECT hash FROM expired) RETURNING hash`,
    [now, limit],
  );
  return rows.length;
}
