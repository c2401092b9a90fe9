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

/** @throws {Error} `CS_INBOX_VERSION`: the table has other columns. @param place What else it could be in. */
export function requireColumns(
  found: readonly unknown[],
  {
    inbox,
    table,
    place,
  }: { readonly inbox: string; readonly table: string; readonly place: string },
): void {
  const expected = ["sequence", ...Object.keys(COLUMNS)];
  const missing = expected.filter((name) => !found.includes(name)).join(", ");
  const unknown = found.filter((name) => !expected.includes(String(name))).join(", ");
  if (missing === "" && unknown === "") return;
  const message =
    `${inbox}: the table ${table} is of another version (missing: ${missing || "none"}; unknown: ` +
    `${unknown || "none"}); use that version of @countersign/receiver, or a new ${place}`;
  throw Object.assign(new Error(message), { code: "CS_INBOX_VERSION" });
}

/** Stored events that are neither handled nor dead. Written alike everywhere, so that the indexes are used. */
const queued = (row: string): string =>
  `${row}.body IS NOT NULL AND ${row}.state IN ('waiting', 'claimed')`;

/** `runsAlone`, with the most attempts in $4. */
const alone = (row = ""): string =>
  `${row}state = 'claimed' AND (${row}attempts >= 2 OR ${row}attempts >= $4)`;

/** Resources of which one look for work sees the oldest event. */
const RESOURCES = 1000;

export interface EventSqlOptions {
  /** PostgreSQL's clause for rows that another process takes concurrently. */
  readonly skipLocked?: string;
  /** True if the bodies of handled events are kept until `dropBodies`. */
  readonly keepsBodies: boolean;
}

export type EventSql = Readonly<
  Record<
    | "names"
    | "read"
    | "withBytes"
    | "update"
    | "updateAll"
    | "insertAll"
    | "heldUntil"
    | "lastHandled"
    | "take"
    | "takeOldest"
    | "lastResource"
    | "erase"
    | "dropBodies"
    | "dead"
    | "status"
    | "purge",
    string
  >
>;

/** PostgreSQL's lock of a name until the transaction's end. */
export const LOCK = "pg_advisory_xact_lock(hashtextextended(";

const types = Object.values(COLUMNS).map((type) => type.replace(" NOT NULL", ""));
/** The values of an update, in the order of `updateValues`. */
const UPDATED = `${KEY}, from_state, from_token, state, token, attempts, due_at, reason, changed_at, body, facts`;
const updated = UPDATED.split(", ");
const isNumber = /token|attempts|_at$/;
const listsOf = (of: readonly string[]): string =>
  of.map((type, index) => `$${String(index + 1)}::${type}[]`).join(", ");

/** The statements on a table of events. */
export function eventSql(
  events: string,
  { skipLocked = "", keepsBodies }: EventSqlOptions,
): EventSql {
  const changes = (value: (name: string) => string): string => {
    const dropped = `${value("state")} = 'superseded'${keepsBodies ? "" : ` OR ${value("state")} = 'handled'`}`;
    const kept = (name: string): string =>
      `${name} = CASE WHEN ${dropped} THEN NULL ELSE COALESCE(e.${name}, ${value(name)}) END`;
    const set = ["state", "token", "attempts", "due_at", "reason", "changed_at"];
    return [...set.map((name) => `${name} = ${value(name)}`), kept("body"), kept("facts")].join(
      ", ",
    );
  };
  // Such a claim has its reason from the beginning.
  const lastAttempt = "state = 'claimed' AND reason IS NOT NULL AND attempts >= $4";
  const claim = `state = CASE WHEN ${lastAttempt} THEN 'dead' ELSE 'claimed' END,
        attempts = attempts + CASE WHEN ${lastAttempt} THEN 0 ELSE 1 END,
        reason = CASE WHEN ${alone()} THEN '${LEASE_ENDED}' END,
        token = token + 1, due_at = $3, changed_at = $1`;
  const columns = `${KEY}, resource, sequence, state, attempts, due_at`;
  const due = `d.provider = $6 AND ${queued("d")} AND d.due_at <= $1`;
  const firstDue = (where: string): string =>
    `SELECT ${columns} FROM ${events} d WHERE ${where} AND ${due} ORDER BY d.due_at, d.sequence LIMIT $5`;
  const nextResource = (after: string): string =>
    `SELECT min(o.resource) FROM ${events} o WHERE o.resource > ${after} AND ${queued("o")}`;
  // The next resources after $5, each found by one step in the index.
  const resources = `resources (name, number) AS (SELECT (${nextResource("$5")}), 1 UNION ALL
        SELECT (${nextResource("r.name")}), r.number + 1 FROM resources r
        WHERE r.name IS NOT NULL AND r.number < ${String(RESOURCES)})`;
  // "CROSS JOIN" keeps SQLite from looking at all events first.
  // The step "claim" of due events among `found`: of one that runs alone, or of any others.
  const take = (found: string, before = ""): string =>
    `WITH RECURSIVE ${before} due AS MATERIALIZED (
        SELECT ${keyOf("e")} FROM (
          SELECT ${keyOf("f")}, f.sequence, min(f.alone) OVER () AS only FROM (
            SELECT ${keyOf("d")}, d.sequence, CASE WHEN ${alone("d.")} THEN d.sequence END AS alone FROM (${found}) d
            ORDER BY d.due_at, d.sequence LIMIT $2${skipLocked === "" ? "" : " * 4"}) f
        ) d CROSS JOIN ${events} e WHERE (${keyOf("e")}) = (${keyOf("d")}) AND ${queued("e")} AND e.due_at <= $1
        AND (d.only IS NULL OR d.only = d.sequence) LIMIT $2 ${skipLocked})
      UPDATE ${events} SET ${claim} WHERE (${KEY}) IN (SELECT ${KEY} FROM due) RETURNING ${names}, sequence`;
  return {
    names,
    read: `SELECT ${names}, sequence FROM ${events} WHERE ${isKey}`,
    // `heldByBytes`: those first of which a new one is a duplicate, then those that it waits for.
    withBytes: `SELECT ${names}, sequence FROM ${events} e WHERE bytes = $1 AND id <> $2
      ORDER BY CASE WHEN state IN ('handled', 'superseded') OR ${queued("e")} THEN 0
        WHEN state = 'claimed' AND due_at > $3 THEN 1 ELSE 2 END, sequence LIMIT 1`,
    // A body is kept or added until its event has ended.
    update: `UPDATE ${events} AS e SET ${changes((name) => `$${String(updated.indexOf(name) + 1)}`)}
      WHERE ${isKey} AND state = $4 AND token = $5 RETURNING id`,
    // Only PostgreSQL: a list for each value, and the keys of the rows that were written.
    updateAll: `UPDATE ${events} AS e SET ${changes((name) => `u.${name}`)}
      FROM unnest(${listsOf(updated.map((name) => (isNumber.test(name) ? "bigint" : "text")))}) AS u (${UPDATED})
      WHERE (${keyOf("e")}) = (${keyOf("u")}) AND e.state = u.from_state AND e.token = u.from_token
      RETURNING ${keyOf("e")}`,
    insertAll: `INSERT INTO ${events} (${names}) SELECT r.* FROM
      (SELECT count(${LOCK}name, 0))) FROM unnest($${String(types.length + 1)}::text[]) AS name) locked,
      unnest(${listsOf(types)}) AS r ON CONFLICT (${KEY}) DO NOTHING RETURNING ${KEY}`,
    heldUntil: `SELECT max(due_at) AS until FROM ${events} WHERE resource = $4
      AND state = 'claimed' AND NOT (${isKey}) AND due_at > $5`,
    lastHandled: `SELECT type, rank, occurred_at FROM ${events} WHERE resource = $1
      AND state = 'handled' ORDER BY changed_at DESC, sequence DESC LIMIT 1`,
    // Of the events that were due first, $5 without a resource and $5 of resources, if no older one of them is open.
    take: take(`SELECT * FROM (${firstDue("d.resource IS NULL")}) n
        UNION ALL SELECT * FROM (${firstDue("d.resource IS NOT NULL")}) d WHERE NOT EXISTS (
          SELECT 1 FROM ${events} o WHERE o.resource = d.resource AND o.sequence < d.sequence AND ${queued("o")})`),
    // The oldest open event of each resource, however many wait behind others.
    takeOldest: take(
      `SELECT ${columns} FROM resources r CROSS JOIN ${events} d WHERE d.resource = r.name AND d.sequence =
        (SELECT min(o.sequence) FROM ${events} o WHERE o.resource = r.name AND ${queued("o")}) AND ${due}`,
      `${resources},`,
    ),
    lastResource: `WITH RECURSIVE ${resources.replaceAll("$5", "$1")}
      SELECT name FROM resources WHERE number = ${String(RESOURCES)}`,
    // An open event ends as if it was superseded, and no claim of it can be ended any more.
    erase: `UPDATE ${events} SET state = CASE WHEN state = 'handled' THEN state ELSE 'superseded' END, token = token + 1,
      changed_at = CASE WHEN state IN ('handled', 'superseded') THEN changed_at ELSE $4 END,
      attempts = 0, due_at = 0, body = NULL, facts = NULL, reason = NULL
      WHERE ${isKey} AND NOT (state = 'claimed' AND due_at > $4) RETURNING id`,
    dropBodies: `UPDATE ${events} SET body = NULL, facts = NULL WHERE (${KEY}) IN (SELECT ${KEY} FROM ${events}
      WHERE ${KEPT} AND changed_at < $1 ORDER BY changed_at LIMIT $2) RETURNING id`,
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

/** Handled events that still have their body. */
const KEPT = "body IS NOT NULL AND state IN ('handled', 'superseded')";

/** The indexes of the table, by what they are for. */
export function eventIndexes(events: string, prefix: string): readonly string[] {
  const index = (name: string, columns: string, where: string): string =>
    `CREATE INDEX ${prefix}_${name} ON ${events} (${columns}) WHERE ${where}`;
  const open = "state IN ('waiting', 'claimed')";
  return [
    index("due", "provider, due_at, sequence", `resource IS NULL AND body IS NOT NULL AND ${open}`),
    index(
      "due_in_order",
      "provider, due_at, sequence",
      `resource IS NOT NULL AND body IS NOT NULL AND ${open}`,
    ),
    index("open", "resource, sequence", `resource IS NOT NULL AND ${open}`),
    index("handled", "resource, changed_at", "resource IS NOT NULL AND state = 'handled'"),
    index("bytes", "bytes, sequence", "bytes IS NOT NULL"),
    index("dead", "changed_at", "state = 'dead'"),
    index("kept", "changed_at", KEPT),
    index("ended", "changed_at", "body IS NULL"),
  ];
}
