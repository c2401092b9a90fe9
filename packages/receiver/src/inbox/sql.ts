import { LEASE_ENDED } from "./event-state.ts";

// The table's columns and the statements that SQLite and PostgreSQL share.

/** In the order of `valuesOf`, each with PostgreSQL's type. `sequence` is the database's own. */
export const COLUMNS = {
  provider: "text NOT NULL",
  tenant: "text NOT NULL",
  id: "text NOT NULL",
  digest: "text NOT NULL",
  // The provider, the tenant and the digest, if it is compared.
  bytes: "text",
  type: "text NOT NULL",
  // The provider, the tenant and the resource's name.
  resource: "text",
  rank: "double precision",
  occurred_at: "bigint",
  body: "text",
  facts: "text",
  state: "text NOT NULL",
  token: "bigint NOT NULL",
  attempts: "bigint NOT NULL",
  due_at: "bigint NOT NULL",
  reason: "text",
  stored_at: "bigint NOT NULL",
  changed_at: "bigint NOT NULL",
} as const;

/** The columns of an event's key. */
export const KEY = "provider, tenant, id";

const names = Object.keys(COLUMNS).join(", ");
const isKey = "provider = $1 AND tenant = $2 AND id = $3";
const keyOf = (row: string): string => `${row}.provider, ${row}.tenant, ${row}.id`;

/** Says how the columns of a table differ from this version's, if they do. */
export function columnsDiffer(found: ReadonlySet<unknown>): string | undefined {
  const expected = new Set<unknown>(["sequence", ...Object.keys(COLUMNS)]);
  const missing = [...expected].filter((name) => !found.has(name)).join(", ");
  const unknown = [...found].filter((name) => !expected.has(name)).join(", ");
  if (missing === "" && unknown === "") return undefined;
  return (
    `is of another version (missing: ${missing || "none"}; unknown: ${unknown || "none"}); ` +
    "use that version of @countersign/receiver, or a new"
  );
}

/** Stored events that are neither handled nor dead. Written alike everywhere, so that the indexes are used. */
const queued = (row: string): string =>
  `${row}.body IS NOT NULL AND ${row}.state IN ('waiting', 'claimed')`;

/** `runsAlone`, with the most attempts in $4. */
const alone = (row = ""): string =>
  `${row}state = 'claimed' AND (${row}attempts >= 2 OR ${row}attempts >= $4)`;

export interface EventSql {
  readonly names: string;
  readonly read: string;
  readonly withBytes: string;
  readonly update: string;
  readonly heldUntil: string;
  readonly lastHandled: string;
  readonly take: string;
  readonly completeAndTake: string;
  readonly dead: string;
  readonly status: string;
  readonly purge: string;
}

/** @param skipLocked PostgreSQL's clause for rows that another process takes concurrently. */
export function eventSql(events: string, skipLocked = ""): EventSql {
  // Such a claim has its reason from the beginning.
  const lastAttempt = "state = 'claimed' AND reason IS NOT NULL AND attempts >= $4";
  const claim = `state = CASE WHEN ${lastAttempt} THEN 'dead' ELSE 'claimed' END,
        attempts = attempts + CASE WHEN ${lastAttempt} THEN 0 ELSE 1 END,
        reason = CASE WHEN ${alone()} THEN '${LEASE_ENDED}' END,
        token = token + 1, due_at = $3, changed_at = $1`;
  return {
    names,
    read: `SELECT ${names}, sequence FROM ${events} WHERE ${isKey}`,
    // `heldByBytes`: those first of which a new one is a duplicate, then those that it waits for.
    withBytes: `SELECT ${names}, sequence FROM ${events} e WHERE bytes = $1 AND id <> $2
      ORDER BY CASE WHEN state IN ('handled', 'superseded') OR ${queued("e")} THEN 0
        WHEN state = 'claimed' AND due_at > $3 THEN 1 ELSE 2 END, sequence LIMIT 1`,
    // The body is dropped with its handling, and kept or added until then.
    update: `UPDATE ${events} SET state = $6, token = $7, attempts = $8, due_at = $9, reason = $10, changed_at = $11,
      body = CASE WHEN $6 IN ('handled', 'superseded') THEN NULL ELSE COALESCE(body, $12) END,
      facts = CASE WHEN $6 IN ('handled', 'superseded') THEN NULL ELSE COALESCE(facts, $13) END
      WHERE ${isKey} AND state = $4 AND token = $5 RETURNING id`,
    heldUntil: `SELECT max(due_at) AS until FROM ${events} WHERE resource = $4
      AND state = 'claimed' AND NOT (${isKey}) AND due_at > $5`,
    lastHandled: `SELECT type, rank, occurred_at FROM ${events} WHERE resource = $1
      AND state = 'handled' ORDER BY changed_at DESC, sequence DESC LIMIT 1`,
    // The step "claim" of due events, of a resource only if no older one is open; over the $5 events that were due first.
    // It takes one that runs alone, or any others.
    take: `WITH due (due_provider, due_tenant, due_id) AS MATERIALIZED (
        SELECT ${keyOf("e")} FROM (
          SELECT ${keyOf("f")}, f.sequence, min(f.alone) OVER () AS only FROM (
            SELECT ${keyOf("d")}, d.sequence, CASE WHEN ${alone("d.")} THEN d.sequence END AS alone FROM (
              SELECT ${KEY}, resource, sequence, state, attempts FROM ${events} d
              WHERE d.provider = $6 AND ${queued("d")} AND d.due_at <= $1 ORDER BY d.due_at, d.sequence LIMIT $5
            ) d WHERE d.resource IS NULL OR NOT EXISTS (
              SELECT 1 FROM ${events} o WHERE o.resource = d.resource AND o.sequence < d.sequence AND ${queued("o")})
            LIMIT $2${skipLocked === "" ? "" : " * 4"}) f
        ) d JOIN ${events} e ON (${keyOf("e")}) = (${keyOf("d")}) AND ${queued("e")} AND e.due_at <= $1
        WHERE d.only IS NULL OR d.only = d.sequence LIMIT $2 ${skipLocked})
      UPDATE ${events} SET ${claim} FROM due WHERE (${KEY}) = (due_provider, due_tenant, due_id)
      RETURNING ${names}, sequence`,
    // Only PostgreSQL: one commit for the step "succeed" and the claim of the resource's oldest other event.
    completeAndTake: `WITH done AS (
        UPDATE ${events} SET state = 'handled', attempts = 0, due_at = 0, reason = NULL, changed_at = $1,
          body = NULL, facts = NULL
        WHERE provider = $2 AND tenant = $5 AND id = $6 AND state = 'claimed' AND token = $7 RETURNING resource, sequence
      ), oldest (due_provider, due_tenant, due_id) AS MATERIALIZED (
        SELECT ${keyOf("e")} FROM done, LATERAL (
          SELECT ${keyOf("o")}, o.due_at FROM ${events} o
          WHERE o.resource = done.resource AND o.sequence <> done.sequence AND ${queued("o")} ORDER BY o.sequence LIMIT 1
        ) e WHERE e.due_at <= $1
      ), taken AS (
        UPDATE ${events} e SET ${claim} FROM oldest
        WHERE (${KEY}) = (due_provider, due_tenant, due_id) AND ${queued("e")} AND e.due_at <= $1
          AND NOT (${alone("e.")}) RETURNING e.*
      ) SELECT taken.* FROM done LEFT JOIN taken ON true`,
    dead: `SELECT ${KEY}, type, attempts, reason, changed_at FROM ${events}
      WHERE state = 'dead' ORDER BY changed_at DESC, id LIMIT $1`,
    // "+ 0": SQLite would look for the lowest sequence from the first handled event on.
    status: `SELECT ${KEY}, type, attempts, stored_at, due_at, changed_at, count(*) OVER () AS unhandled,
      sum(CASE WHEN due_at < $1 AND changed_at < $1 THEN 1 ELSE 0 END) OVER () AS overdue
      FROM ${events} e WHERE ${queued("e")} ORDER BY sequence + 0 LIMIT 1`,
    purge: `DELETE FROM ${events} WHERE (${KEY}) IN (SELECT ${KEY} FROM ${events}
      WHERE body IS NULL AND changed_at < $1 ORDER BY changed_at LIMIT $2) RETURNING id`,
  };
}

/** The indexes of the table, by what they are for. */
export function eventIndexes(events: string, prefix: string): readonly string[] {
  const index = (name: string, columns: string, where: string): string =>
    `CREATE INDEX ${prefix}_${name} ON ${events} (${columns}) WHERE ${where}`;
  const open = "state IN ('waiting', 'claimed')";
  return [
    index("due", "provider, due_at, sequence", `body IS NOT NULL AND ${open}`),
    index("open", "resource, sequence", `resource IS NOT NULL AND ${open}`),
    index("handled", "resource, changed_at", "resource IS NOT NULL AND state = 'handled'"),
    index("bytes", "bytes, sequence", "bytes IS NOT NULL"),
    index("dead", "changed_at", "state = 'dead'"),
    index("ended", "changed_at", "body IS NULL"),
  ];
}
