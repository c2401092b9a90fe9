import type { Queryable } from "../../driver.ts";
import { givenRows, rowsParameter } from "../../tables/given-rows.ts";

const COUNT = givenRows(
  { id: "text", attempt: "bigint" },
  (rows) => `WITH asked AS (${rows})
    SELECT asked.id, CASE WHEN last_number < asked.attempt THEN 1 ELSE 0 END +
      (SELECT CAST(count(*) AS bigint) FROM earlier_attempts
       WHERE delivery_id = asked.id AND number < asked.attempt) AS recorded
    FROM asked JOIN deliveries ON deliveries.id = asked.id`,
);

/**
 * How many attempts of deliveries are recorded before the one that is named. A claim whose process was killed
 * has a number and no record: nobody knows of an attempt.
 *
 * @returns By the delivery's id.
 */
export async function countRecorded(
  tx: Queryable,
  claims: readonly { readonly id: string; readonly attempt: number }[],
): Promise<ReadonlyMap<string, number>> {
  if (claims.length === 0) return new Map();
  const named = claims.map(({ id, attempt }) => ({ id, attempt }));
  const rows = await tx.query<{ id: string; recorded: number }>(COUNT, [rowsParameter(named)]);
  return new Map(rows.map(({ id, recorded }) => [id, recorded]));
}
