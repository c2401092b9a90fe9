import type { Queryable } from "../../driver.ts";
import { givenRows, rowsParameter } from "../../tables/given-rows.ts";

const HEED = givenRows(
  { id: "text", attempt: "bigint" },
  (rows) => `WITH failed AS (${rows}), asked AS (
      SELECT failed.id, MAX(replays.at) AS at
      FROM failed JOIN replays ON replays.delivery_id = failed.id
        AND replays.attempts = failed.attempt AND replays.state = 'waiting'
      GROUP BY failed.id)
    UPDATE deliveries SET state = 'waiting', next_at = asked.at FROM asked
    WHERE deliveries.id = asked.id AND deliveries.state IN ('waiting', 'exhausted')
    RETURNING deliveries.id, deliveries.next_at AS "nextAt"`,
);

/**
 * Lets deliveries be due when a replay said so that was asked for while the attempt was under way which has failed:
 * the settlement has set them to the schedule's next step, or to none.
 *
 * @param failed Settled in this transaction.
 * @returns When they are due, by id: time of their clock, in milliseconds.
 */
export async function heedReplays(
  tx: Queryable,
  failed: readonly { readonly id: string; readonly attempt: number }[],
): Promise<ReadonlyMap<string, number>> {
  if (failed.length === 0) return new Map();
  const named = failed.map(({ id, attempt }) => ({ id, attempt }));
  const rows = await tx.query<{ id: string; nextAt: number }>(HEED, [rowsParameter(named)]);
  return new Map(rows.map(({ id, nextAt }) => [id, nextAt]));
}
