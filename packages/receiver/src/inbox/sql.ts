import type { ResourceState } from "@countersign/rules";
import { dueAtOf, type EventState, LEASE_ENDED } from "./event-state.ts";
import type { DeadEvent, EventResource, QueueStatus, TakenEvent, TakeRequest } from "./inbox.ts";
import type { EventRow, Update } from "./rows-inbox.ts";

// The table's columns and the statements that SQLite and PostgreSQL share.

export type SqlValue = string | number | null;

/** A row as a driver returns it: PostgreSQL's returns a bigint as text. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

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

export interface EventSql {
  readonly names: string;
  readonly read: string;
  readonly update: string;
  readonly heldUntil: string;
  readonly lastHandled: string;
  readonly take: string;
  readonly dead: string;
  readonly status: string;
  readonly purge: string;
}

/** @param skipLocked PostgreSQL's clause for rows that another process takes at the same time. */
export function eventSql(events: string, skipLocked = ""): EventSql {
  const lastAttempt = "state = 'claimed' AND attempts >= $4";
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
    // `canTake` and the step "claim", over the $5 events that were due first.
    take: `WITH due (due_tenant, due_id) AS MATERIALIZED (
        SELECT e.tenant, e.id FROM (
          SELECT d.tenant, d.id, d.resource, d.sequence FROM ${events} d
          WHERE ${queued("d")} AND d.due_at <= $1 ORDER BY d.due_at, d.sequence LIMIT $5
        ) d JOIN ${events} e ON e.tenant = d.tenant AND e.id = d.id AND ${queued("e")} AND e.due_at <= $1
        WHERE d.resource IS NULL OR NOT EXISTS (
          SELECT 1 FROM ${events} o WHERE o.tenant = d.tenant AND o.resource = d.resource
          AND o.sequence < d.sequence AND ${queued("o")})
        LIMIT $2 ${skipLocked})
      UPDATE ${events} SET
        state = CASE WHEN ${lastAttempt} THEN 'dead' ELSE 'claimed' END,
        attempts = attempts + CASE WHEN ${lastAttempt} THEN 0 ELSE 1 END,
        reason = CASE WHEN ${lastAttempt} THEN '${LEASE_ENDED}' END,
        token = token + 1, due_at = $3, changed_at = $1
      FROM due WHERE tenant = due_tenant AND id = due_id RETURNING ${names}, sequence`,
    dead: `SELECT tenant, id, type, attempts, reason, changed_at FROM ${events}
      WHERE state = 'dead' ORDER BY changed_at DESC, id LIMIT $1`,
    // "+ 0": SQLite would look for the lowest sequence from the first handled event on.
    status: `SELECT tenant, id, type, attempts, stored_at, due_at, count(*) OVER () AS unhandled,
      sum(CASE WHEN due_at < $1 THEN 1 ELSE 0 END) OVER () AS overdue
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

/** The values of `COLUMNS`, in their order. */
export function valuesOf(row: EventRow, now: number): SqlValue[] {
  const { key, digest, type, resource, body, state } = row;
  return [
    key.tenant,
    key.id,
    digest,
    textOf(type),
    resource === undefined ? null : textOf(resource.name),
    resource?.rank ?? null,
    // NaN is not a number to PostgreSQL's bigint.
    resource !== undefined && Number.isSafeInteger(resource.timestamp) ? resource.timestamp : null,
    body ?? null,
    ...stateValues(state),
    now,
    now,
  ];
}

/** The values of `update`, in their order. */
export function updateValues({ key, from, to, now, body }: Update): SqlValue[] {
  return [key.tenant, key.id, from.at, from.token, ...stateValues(to), now, body ?? null];
}

const stateValues = (state: EventState): SqlValue[] => [
  state.at,
  state.token,
  state.attempts,
  dueAtOf(state),
  state.at === "dead" ? state.reason : null,
];

/**
 * The values of `take` for two looks, of which the second is needed if the first takes nothing: a few
 * events for each free place, then all that are due, since the few may wait for older ones of their resource.
 */
export function takeValues({ now, limit, leaseMs, maxAttempts }: TakeRequest): {
  readonly few: SqlValue[];
  readonly every: SqlValue[];
} {
  const values = [now, limit, now + leaseMs, maxAttempts];
  return { few: [...values, 4 * limit], every: [...values, 2 ** 31 - 1] };
}

/** PostgreSQL's text holds no NUL, and a type is any text that the sender signs. */
export const textOf = (text: string): string => text.replaceAll("\0", "\uFFFD");

/** @throws {Error} the row's state is unknown: another program wrote it. */
export function rowOf(row: SqlRow): EventRow {
  const body = row["body"];
  return {
    key: keyOf(row),
    digest: String(row["digest"]),
    type: String(row["type"]),
    resource: resourceOf(row),
    body: typeof body === "string" ? body : undefined,
    state: stateOf(row),
  };
}

export const keyOf = (row: SqlRow): EventRow["key"] => ({
  tenant: String(row["tenant"]),
  id: String(row["id"]),
});

function resourceOf(row: SqlRow): EventResource | undefined {
  if (row["resource"] === null) return undefined;
  const { rank, timestamp } = resourceStateOf(row);
  return { name: String(row["resource"]), rank, timestamp };
}

export function resourceStateOf(row: SqlRow): ResourceState {
  const { rank, occurred_at: at } = row;
  return {
    type: String(row["type"]),
    rank: rank == null ? undefined : Number(rank),
    timestamp: at == null ? Number.NaN : Number(at),
  };
}

function stateOf(row: SqlRow): EventState {
  const at = String(row["state"]);
  const [token, attempts, due] = [row["token"], row["attempts"], row["due_at"]].map(Number);
  const counts = { token: token ?? 0, attempts: attempts ?? 0 };
  switch (at) {
    case "waiting":
      return { at, ...counts, dueAt: due ?? 0 };
    case "claimed":
      return { at, ...counts, leaseEndsAt: due ?? 0 };
    case "handled":
    case "superseded":
      return { at, ...counts };
    case "dead":
      return { at, ...counts, reason: String(row["reason"] ?? "") };
    default:
      throw new Error(`the inbox holds an event in the unknown state ${JSON.stringify(at)}`);
  }
}

/** What `take` claimed, in the order of storing; those that became dead are not to be handled. */
export function takenOf(rows: readonly SqlRow[]): readonly TakenEvent[] {
  return rows
    .toSorted((a, b) => Number(a["sequence"]) - Number(b["sequence"]))
    .flatMap((columns) => {
      const { state, body, ...event } = rowOf(columns);
      if (state.at !== "claimed" || body === undefined) return [];
      return [{ ...event, body, token: state.token, attempts: state.attempts }];
    });
}

export const deadOf = (row: SqlRow): DeadEvent => ({
  key: keyOf(row),
  type: String(row["type"]),
  attempts: Number(row["attempts"]),
  reason: String(row["reason"]),
  diedAt: Number(row["changed_at"]),
});

export function statusOf(row: SqlRow | undefined): QueueStatus {
  if (row === undefined) return { unhandled: 0, overdue: 0 };
  return {
    unhandled: Number(row["unhandled"]),
    overdue: Number(row["overdue"]),
    oldest: {
      key: keyOf(row),
      type: String(row["type"]),
      attempts: Number(row["attempts"]),
      storedAt: Number(row["stored_at"]),
      dueAt: Number(row["due_at"]),
    },
  };
}
