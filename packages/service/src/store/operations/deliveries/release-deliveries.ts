import type { Queryable } from "../../driver.ts";
import { givenRows, rowsParameter } from "../../tables/given-rows.ts";

export interface GivenBack {
  readonly id: string;
  /** The claim's attempt: the fencing token. */
  readonly attempt: number;
  /** Whether the attempt may have arrived. One that was never begun keeps its number for the next claim. */
  readonly begun: boolean;
}

const RELEASE = givenRows(
  { id: "text", attempt: "bigint", attempts: "bigint" },
  (rows) => `WITH given AS (${rows})
    UPDATE deliveries SET leased_until = 0, attempts = given.attempts FROM given
    WHERE deliveries.id = given.id AND deliveries.attempts = given.attempt
      AND (last_number IS NULL OR last_number < given.attempt)`,
);

/**
 * Gives claims back, so that the deliveries need not wait for their leases to end. One that is settled keeps its
 * number, whoever settled it: the next claim's is to be a new one.
 */
export async function releaseDeliveries(
  tx: Queryable,
  claims: readonly GivenBack[],
): Promise<void> {
  if (claims.length === 0) return;
  const rows = claims.map(({ id, attempt, begun }) => ({
    id,
    attempt,
    attempts: begun ? attempt : attempt - 1,
  }));
  await tx.query(RELEASE, [rowsParameter(rows)]);
}
