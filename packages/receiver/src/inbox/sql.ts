import { LEASE_ENDED } from "./event-state.ts";
import type { EventRow } from "./rows-inbox.ts";

/** The table's columns, each with PostgreSQL's type. `sequence` is the database's own. */
export const COLUMNS: Readonly<Record<keyof EventRow, string>> = {
  provider: "text NOT NULL",
  tenant: "text NOT NULL",
  id: "text NOT NULL",
  digest: "text NOT NULL",
  bytes: "text",
  type: "text NOT NULL",
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
};

export const NAMES = Object.keys(COLUMNS) as readonly (keyof EventRow)[];
/** The columns of an event's key. */
export const KEY = "provider, tenant, id";
export const IS_KEY = "provider = $1 AND tenant = $2 AND id = $3";
export const keyIn = (row: string): string => `${row}.provider, ${row}.tenant, ${row}.id`;

/**
 * @throws {Error} `CS_INBOX_VERSION`: the inbox's table was created by another version of `@countersign/receiver`; the
 * message names the columns that differ. Use that version, or a new schema or file.
 * @param place What else it could be in.
 */
export function requireColumns(found: readonly unknown[], table: string, place: string): void {
  const expected = ["sequence", ...NAMES];
  const missing = expected.filter((name) => !found.includes(name)).join(", ");
  const unknown = found.filter((name) => !expected.includes(String(name))).join(", ");
  if (missing === "" && unknown === "") return;
  const message =
    `the inbox's table ${table} is of another version (missing: ${missing || "none"}; unknown: ` +
    `${unknown || "none"}); use that version of @countersign/receiver, or a new ${place}`;
  throw Object.assign(new Error(message), { code: "CS_INBOX_VERSION" });
}

const OPEN = "state IN ('waiting', 'claimed')";
/** Handled events that still have their body. */
export const KEPT = "body IS NOT NULL AND state IN ('handled', 'superseded')";
/** Stored events that are neither handled nor dead. Written alike everywhere, so that the indexes are used. */
export const queued = (row: string): string => `${row}.body IS NOT NULL AND ${row}.${OPEN}`;

/** The indexes of the table, by what they are for. */
export const eventIndexes = (events: string, prefix: string): readonly string[] =>
  [
    ["due", "provider, due_at, sequence", `resource IS NULL AND body IS NOT NULL AND ${OPEN}`],
    ["open", "resource, sequence", `resource IS NOT NULL AND ${OPEN}`],
    ["handled", "resource, changed_at", "resource IS NOT NULL AND state = 'handled'"],
    ["bytes", "bytes, sequence", "bytes IS NOT NULL"],
    ["dead", "changed_at", "state = 'dead'"],
    ["kept", "changed_at", KEPT],
    ["ended", "changed_at", "body IS NULL"],
  ].map(
    ([name = "", columns = "", where = ""]) =>
      `CREATE INDEX ${prefix}_${name} ON ${events} (${columns}) WHERE ${where}`,
  );

const STATE = ["state", "token", "attempts", "due_at", "reason"] as const;
/** The values of an update, in the order of `updateValues`. */
export const UPDATED: readonly string[] = [
  ...KEY.split(", "),
  "from_state",
  "from_token",
  ...STATE,
  "changed_at",
  "body",
  "facts",
];

/** The assignments of an update. A body is kept or added until its event has ended. */
export function changes(value: (name: string) => string, keepsBodies: boolean): string {
  const dropped = `${value("state")} = 'superseded'${keepsBodies ? "" : ` OR ${value("state")} = 'handled'`}`;
  const kept = (name: string): string =>
    `${name} = CASE WHEN ${dropped} THEN NULL ELSE COALESCE(e.${name}, ${value(name)}) END`;
  const set = [...STATE, "changed_at"].map((name) => `${name} = ${value(name)}`);
  return [...set, kept("body"), kept("facts")].join(", ");
}

/** True if the event, once its lease has ended, must run exclusively; the most attempts are $4. */
const exclusive = (row: string): string =>
  `${row}.state = 'claimed' AND (${row}.attempts >= 2 OR ${row}.attempts >= $4)`;

/** Resources of which one look for work sees the oldest event. */
const RESOURCES = 200;

/** The next resources with an open event after that in a parameter, each found by one step in the index. */
function resources(events: string, parameter: string): string {
  const next = (after: string): string =>
    `SELECT min(o.resource) FROM ${events} o WHERE o.resource > ${after} AND ${queued("o")}`;
  return `WITH RECURSIVE resources (name, number) AS (SELECT (${next(parameter)}), 1 UNION ALL
    SELECT (${next("r.name")}), r.number + 1 FROM resources r
    WHERE r.name IS NOT NULL AND r.number < ${String(RESOURCES)})`;
}

export const lastResourceSql = (events: string): string =>
  `${resources(events, "$1")} SELECT name AS resource FROM resources WHERE number = ${String(RESOURCES)}`;

/**
 * The step "claim" of due events. If a lease ended on the event's second attempt or its last one, it is the only one
 * that is taken: a process that ended may have been ended by another event. It is dead if its last attempt ran
 * exclusively and its lease ended. $1 is now, $2 the most events, $3 the
 * lease's end, $5 the resource behind which the look begins, $6 the provider.
 *
 * @param skipLocked PostgreSQL's clause for rows that another process takes concurrently.
 */
export function takeSql(events: string, skipLocked: string): string {
  const columns = `${KEY}, resource, sequence, state, attempts, due_at`;
  const due = `d.provider = $6 AND ${queued("d")} AND d.due_at <= $1`;
  // Such a claim has its reason from the beginning.
  const isOver = "e.state = 'claimed' AND e.reason IS NOT NULL AND e.attempts >= $4";
  // "CROSS JOIN" keeps SQLite from looking at all events first.
  return `${resources(events, "$5")},
    found AS (
      SELECT * FROM (SELECT ${columns} FROM ${events} d WHERE d.resource IS NULL AND ${due}
        ORDER BY d.due_at, d.sequence LIMIT $2 * 4) n
      UNION ALL SELECT ${columns} FROM resources r CROSS JOIN ${events} d
        WHERE d.resource = r.name AND d.resource IS NOT NULL AND ${due} AND d.sequence =
          (SELECT min(o.sequence) FROM ${events} o WHERE o.resource = r.name AND ${queued("o")})),
    looked AS (
      SELECT ${keyIn("f")}, f.sequence, min(CASE WHEN ${exclusive("f")} THEN f.sequence END) OVER () AS only
      FROM (SELECT * FROM found ORDER BY due_at, sequence LIMIT $2${skipLocked === "" ? "" : " * 4"}) f),
    due AS MATERIALIZED (
      SELECT ${keyIn("e")} FROM looked d CROSS JOIN ${events} e WHERE (${keyIn("e")}) = (${keyIn("d")})
        AND ${queued("e")} AND e.due_at <= $1 AND (d.only IS NULL OR d.only = d.sequence) LIMIT $2 ${skipLocked})
    UPDATE ${events} AS e SET state = CASE WHEN ${isOver} THEN 'dead' ELSE 'claimed' END,
      attempts = attempts + CASE WHEN ${isOver} THEN 0 ELSE 1 END,
      reason = CASE WHEN ${exclusive("e")} THEN '${LEASE_ENDED}' END, token = token + 1, due_at = $3, changed_at = $1
    WHERE (${KEY}) IN (SELECT ${KEY} FROM due) RETURNING ${NAMES.join(", ")}, sequence`;
}
