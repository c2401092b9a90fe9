import type { Queryable, Sql } from "../../driver.ts";
import { givenRows, rowsParameter } from "../../tables/given-rows.ts";

export interface ClaimRequest {
  readonly clockId: string;
  /** Each once. */
  readonly subscriptionKeys: readonly string[];
  /** At most this many of each. */
  readonly count: number;
  /** The clock's time, in milliseconds. */
  readonly now: number;
  /** Real time, in milliseconds. */
  readonly realNow: number;
  /** Real time until which nobody else may claim them, in milliseconds. */
  readonly leasedUntil: number;
}

export interface ClaimedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly merchantId: string;
  readonly subscriptionKey: string;
  /** The number of the attempt that this claim allows, from 1; the fencing token of its settlement. */
  readonly attempt: number;
  /** The text that is signed and sent. */
  readonly payload: string;
}

/** By count: what is claimed at one time is a few powers of two. */
const statements = new Map<number, Sql>();

/** Claims the due deliveries of subscriptions that have waited longest; of one that is not active, none. */
export function claimDeliveries(tx: Queryable, claim: ClaimRequest): Promise<ClaimedDelivery[]> {
  const count = Math.trunc(claim.count);
  let statement = statements.get(count);
  if (statement === undefined) {
    statement = claimStatement(count);
    statements.set(count, statement);
  }
  return tx.query<ClaimedDelivery>(statement, [
    rowsParameter(claim.subscriptionKeys.map((key) => ({ key }))),
    claim.leasedUntil,
    claim.clockId,
    claim.now,
    claim.realNow,
  ]);
}

/** Only PostgreSQL joins a query that looks at the row beside it; only SQLite has one in a list again for each row. */
function claimStatement(count: number): Sql {
  // The limit stands in the text: of a parameter PostgreSQL expects a tenth of the table.
  const due = `FROM deliveries
    WHERE clock_id = $3 AND subscription_key = asked.key AND next_at <= $4 AND leased_until <= $5
      AND EXISTS (SELECT 1 FROM subscriptions WHERE key = asked.key AND status = 'ACTIVE')
    ORDER BY next_at LIMIT ${String(count)}`;
  const { sqlite } = claimOf({
    choice: `SELECT chosen.id FROM asked CROSS JOIN deliveries AS chosen
      WHERE chosen.rowid IN (SELECT rowid ${due})`,
    which: "WHERE id IN (SELECT id FROM chosen)",
  });
  // Locked, a row stays where it is: its place need not be looked up again. One that has been written since the
  // statement began is somewhere else, and passed over like one that others hold.
  const { postgres } = claimOf({
    choice: `SELECT chosen.place FROM asked
      CROSS JOIN LATERAL (SELECT ctid AS place ${due} FOR UPDATE SKIP LOCKED) AS chosen`,
    which: "FROM chosen WHERE deliveries.ctid = chosen.place",
  });
  return { sqlite, postgres };
}

interface Choice {
  readonly choice: string;
  /** Which rows of `deliveries` are chosen. */
  readonly which: string;
}

// Named, the choice is made once; PostgreSQL may repeat one in its place, and pass the limit.
const claimOf = ({ choice, which }: Choice): Exclude<Sql, string> =>
  givenRows(
    { key: "text" },
    (rows) => `WITH asked AS (${rows}), chosen AS MATERIALIZED (${choice})
      UPDATE deliveries SET attempts = attempts + 1, leased_until = $2
      ${which}
      RETURNING id, event_id AS "eventId", merchant_id AS "merchantId",
        subscription_key AS "subscriptionKey", attempts AS attempt,
        (SELECT payload FROM events WHERE events.id = deliveries.event_id) AS payload`,
  );
