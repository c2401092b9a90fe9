import { LEASE_ENDED } from "./event-state.ts";

// The table's columns and the statements that SQLite and PostgreSQL share.

/** In the order of `valuesOf`, each with PostgreSQL's type. `sequence` is the database's own. */
export const COLUMNS = {
  tenant: "text NOT NULL",
  id: "text NOT NULL",
  digest: "text NOT NULL",
  type: "text NOT NULL",
  resource: "text",
  rank: "double precision",
  occurred_at: "bigint",
  body: "text",
  state: "text NOT NULL",
  token: "bigint NOT NULL",
  attempts: "bigint NOT NULL",
  due_at: "bigint NOT NULL",
  reason: "text",
  stored_at: "bigint NOT NULL",
  changed_at: "bigint NOT NULL",
} as const;

const names = Object.keys(COLUMNS).join(", ");

/** Stored events that are neither handled nor dead. Written alike everywhere, so that the indexes are used. */
const queued = (row: string): string =>
  `${row}.body IS NOT NULL AND ${row}.state IN ('waiting', 'claimed')`;

/** `runsAlone`, with the most attempts in $4. */
const alone = (row = ""): string =>
  `${row}state = 'claimed' AND (${row}attempts >= 2 OR ${row}attempts >= $4)`;

export interface EventSql {
  readonly names: string;
  readonly read: string;
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
    read: `SELECT ${names} FROM ${events} WHERE tenant = $1 AND id = $2`,
    // The body is dropped with its handling, and kept or added until then.
    update: `UPDATE ${events} SET state = $5, token = $6, attempts = $7, due_at = $8, reason = $9, changed_at = $10,
      body = CASE WHEN $5 IN ('handled', 'superseded') THEN NULL ELSE COALESCE(body, $11) END
      WHERE tenant = $1 AND id = $2 AND state = $3 AND token = $4 RETURNING id`,
    heldUntil: `SELECT max(due_at) AS until FROM ${events} WHERE tenant = $1 AND resource = $2
      AND state = 'claimed' AND id <> $3 AND due_at > $4`,
    lastHandled: `SELECT type, rank, occurred_at FROM ${events} WHERE tenant = $1 AND resource = $2
      AND state = 'handled' ORDER BY changed_at DESC, sequence DESC LIMIT 1`,
    // The step "claim" of due events, of a resource only if no older one is open; over the $5 events that were due first.
    // It takes one that runs alone, or any others.
    take: `WITH due (due_tenant, due_id) AS MATERIALIZED (
        SELECT e.tenant, e.id FROM (
          SELECT f.tenant, f.id, f.sequence, min(f.alone) OVER () AS only FROM (
            SELECT d.tenant, d.id, d.sequence, CASE WHEN ${alone("d.")} THEN d.sequence END AS alone FROM (
              SELECT tenant, id, resource, sequence, state, attempts FROM ${events} d
              WHERE ${queued("d")} AND d.due_at <= $1 ORDER BY d.due_at, d.sequence LIMIT $5
            ) d WHERE d.resource IS NULL OR NOT EXISTS (
              SELECT 1 FROM ${events} o WHERE o.tenant = d.tenant AND o.resource = d.resource
              AND o.sequence < d.sequence AND ${queued("o")})
            LIMIT $2${skipLocked === "" ? "" : " * 4"}) f
        ) d JOIN ${events} e ON e.tenant = d.tenant AND e.id = d.id AND ${queued("e")} AND e.due_at <= $1
        WHERE d.only IS NULL OR d.only = d.sequence LIMIT $2 ${skipLocked})
      UPDATE ${events} SET ${claim} FROM due WHERE tenant = due_tenant AND id = due_id RETURNING ${names}, sequence`,
    // Only PostgreSQL: one commit for the step "succeed" and the claim of the resource's oldest other event.
    completeAndTake: `WITH done AS (
        UPDATE ${events} SET state = 'handled', attempts = 0, due_at = 0, reason = NULL, changed_at = $1, body = NULL
        WHERE tenant = $2 AND id = $5 AND state = 'claimed' AND token = $6 RETURNING tenant, id, resource
      ), oldest AS MATERIALIZED (
        SELECT e.tenant AS of_tenant, e.id AS of_id FROM done, LATERAL (
          SELECT o.tenant, o.id, o.due_at FROM ${events} o WHERE o.tenant = done.tenant
          AND o.resource = done.resource AND o.id <> done.id AND ${queued("o")} ORDER BY o.sequence LIMIT 1
        ) e WHERE e.due_at <= $1
      ), taken AS (
        UPDATE ${events} e SET ${claim} FROM oldest
        WHERE e.tenant = of_tenant AND e.id = of_id AND ${queued("e")} AND e.due_at <= $1
          AND NOT (${alone("e.")}) RETURNING e.*
      ) SELECT taken.* FROM done LEFT JOIN taken ON true`,
    dead: `SELECT tenant, id, type, attempts, reason, changed_at FROM ${events}
      WHERE state = 'dead' ORDER BY changed_at DESC, id LIMIT $1`,
    // "+ 0": SQLite would look for the lowest sequence from the first handled event on.
    status: `SELECT tenant, id, type, attempts, stored_at, due_at, changed_at, count(*) OVER () AS unhandled,
      sum(CASE WHEN due_at < $1 AND changed_at < $1 THEN 1 ELSE 0 END) OVER () AS overdue
      FROM ${events} e WHERE ${queued("e")} ORDER BY sequence + 0 LIMIT 1`,
    purge: `DELETE FROM ${events} WHERE (tenant, id) IN (SELECT tenant, id FROM ${events}
      WHERE body IS NULL AND changed_at < $1 ORDER BY changed_at LIMIT $2) RETURNING id`,
  };
}

/** The indexes of the table, by what they are for. */
export function eventIndexes(events: string, prefix: string): readonly string[] {
  const index = (name: string, columns: string, where: string): string =>
    `CREATE INDEX ${prefix}_${name} ON ${events} (${columns}) WHERE ${where}`;
  const open = "state IN ('waiting', 'claimed')";
  return [
    index("due", "due_at, sequence", `body IS NOT NULL AND ${open}`),
    index("open", "tenant, resource, sequence", `resource IS NOT NULL AND ${open}`),
    index("handled", "tenant, resource, changed_at", "resource IS NOT NULL AND state = 'handled'"),
    index("dead", "changed_at", "state = 'dead'"),
    index("ended", "changed_at", "body IS NULL"),
  ];
}
