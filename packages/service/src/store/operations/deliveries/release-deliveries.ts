import type { Queryable } from "../../driver.ts";
import { valueRows } from "./value-rows.ts";

export interface GivenBack {
  readonly id: string;
  /** The claim's attempt: the fencing token. */
  readonly attempt: number;
  /** Whether the attempt may have arrived. One that was never begun keeps its number for the next claim. */
  readonly begun: boolean;
}

/** Gives claims back, so that the deliveries need not wait for their leases to end. */
export async function releaseDeliveries(
  tx: Queryable,
  claims: readonly GivenBack[],
): Promise<void> {
  if (claims.length === 0) return;
  const { text, params } = valueRows(
    ["text", "bigint", "bigint"],
    claims.map(({ id, attempt, begun }) => [id, attempt, begun ? attempt : attempt - 1]),
  );
  await tx.query(
    `WITH given (id, attempt, attempts) AS (${text})
     UPDATE deliveries SET leased_until = 0, attempts = given.attempts FROM given
     WHERE deliveries.id = given.id || '' AND deliveries.attempts = given.attempt + 0`,
    params,
  );
}
