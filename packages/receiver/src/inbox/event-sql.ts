import type { ResourceState } from "@countersign/rules";
import { columnsOf, type EventRow, stateOf } from "./event-rows.ts";

/** What a statement binds and a row holds. */
export type SqlValue = string | number | null;

/** An event's row as both databases give it; PostgreSQL's driver gives a bigint as text. */
export interface EventColumns {
  readonly tenant: string;
  readonly id: string;
  readonly digest: string;
  readonly type: string;
  readonly resource: string | null;
  readonly rank: number | null;
  readonly occurred_at: number | string | null;
  readonly body: string | null;
  readonly state: string;
  readonly token: number | string;
  readonly attempts: number;
  readonly due_at: number | string;
  readonly reason: string | null;
  readonly changed_at: number | string;
}

export const COLUMNS =
  "tenant, id, digest, type, resource, rank, occurred_at, body, state, token, attempts, due_at, reason, changed_at";

/** The values of `COLUMNS`, in their order. */
export function valuesOf(row: EventRow, now: number): SqlValue[] {
  const { key, digest, type, resource, body } = row;
  const { at, token, attempts, dueAt, reason } = columnsOf(row.state);
  return [
    key.tenant,
    key.id,
    digest,
    textOf(type),
    resource === undefined ? null : textOf(resource.name),
    resource?.rank ?? null,
    // No time is no number: SQLite would keep NaN as NULL too, PostgreSQL refuses it as a bigint.
    Number.isSafeInteger(resource?.timestamp) ? (resource?.timestamp ?? null) : null,
    body ?? null,
    at,
    token,
    attempts,
    dueAt,
    reason,
    now,
  ];
}

/** PostgreSQL's text holds no NUL, and a type is any text that the sender signs. */
export const textOf = (text: string): string => text.replaceAll("\0", "\uFFFD");

export function rowOf(columns: EventColumns): EventRow {
  const { tenant, id, digest, type, body, attempts, reason } = columns;
  return {
    key: { tenant, id },
    digest,
    type,
    resource:
      columns.resource === null
        ? undefined
        : { name: columns.resource, rank: columns.rank ?? undefined, timestamp: timeOf(columns) },
    body: body ?? undefined,
    state: stateOf({
      at: columns.state,
      token: Number(columns.token),
      attempts,
      dueAt: Number(columns.due_at),
      reason,
    }),
  };
}

export function resourceStateOf(
  columns: Pick<EventColumns, "type" | "rank" | "occurred_at">,
): ResourceState {
  return { type: columns.type, rank: columns.rank ?? undefined, timestamp: timeOf(columns) };
}

const timeOf = ({ occurred_at: at }: Pick<EventColumns, "occurred_at">): number =>
  at === null ? Number.NaN : Number(at);

const OPEN = "state IN ('received', 'waiting', 'claimed')";

/** The statements that both databases run, over the table `events`. */
export function eventSql(events: string): {
  readonly read: string;
  readonly update: string;
  readonly holder: string;
  readonly lastHandled: string;
  readonly due: string;
  readonly dead: string;
  readonly purge: string;
} {
  return {
    read: `SELECT ${COLUMNS} FROM ${events} WHERE tenant = $1 AND id = $2`,
    // The body is dropped with its handling, and kept or added until then.
    update:
      `UPDATE ${events} SET state = $5, token = $6, attempts = $7, due_at = $8, reason = $9, changed_at = $10, ` +
      "body = CASE WHEN $5 IN ('handled', 'superseded') THEN NULL ELSE COALESCE(body, $11) END " +
      "WHERE tenant = $1 AND id = $2 AND state = $3 AND token = $4",
    holder: `SELECT tenant, id FROM ${events} WHERE tenant = $1 AND resource = $2 AND state = 'claimed'`,
    lastHandled:
      `SELECT type, rank, occurred_at FROM ${events} ` +
      "WHERE tenant = $1 AND resource = $2 AND state = 'handled' ORDER BY changed_at DESC, token DESC LIMIT 1",
    due:
      `SELECT ${COLUMNS} FROM ${events} e WHERE body IS NOT NULL AND ${OPEN} AND due_at <= $1 ` +
      "AND (resource IS NULL OR (" +
      `NOT EXISTS (SELECT 1 FROM ${events} h WHERE h.tenant = e.tenant AND h.resource = e.resource AND h.state = 'claimed' AND h.id <> e.id AND h.due_at > $1) ` +
      `AND NOT EXISTS (SELECT 1 FROM ${events} s WHERE s.tenant = e.tenant AND s.resource = e.resource AND s.body IS NOT NULL AND s.${OPEN} ` +
      "AND (s.due_at < e.due_at OR (s.due_at = e.due_at AND s.id < e.id))))) ORDER BY due_at, id LIMIT $2",
    dead: `SELECT tenant, id, type, attempts, reason, changed_at FROM ${events} WHERE state = 'dead' ORDER BY changed_at DESC, id LIMIT $1`,
    purge:
      `DELETE FROM ${events} WHERE (tenant, id) IN (SELECT tenant, id FROM ${events} ` +
      "WHERE body IS NULL AND changed_at < $1 ORDER BY changed_at LIMIT $2)",
  };
}

/** The indexes of the table, each for one statement. */
export function eventIndexes(events: string, prefix: string): readonly string[] {
  return [
    // One claim of a resource at a time: the database refuses a second one.
    `CREATE UNIQUE INDEX ${prefix}_claimed ON ${events} (tenant, resource) WHERE state = 'claimed' AND resource IS NOT NULL`,
    `CREATE INDEX ${prefix}_handled ON ${events} (tenant, resource, changed_at) WHERE state = 'handled' AND resource IS NOT NULL`,
    `CREATE INDEX ${prefix}_due ON ${events} (due_at, id) WHERE body IS NOT NULL AND ${OPEN}`,
    `CREATE INDEX ${prefix}_queued ON ${events} (tenant, resource, due_at, id) WHERE body IS NOT NULL AND ${OPEN} AND resource IS NOT NULL`,
    `CREATE INDEX ${prefix}_dead ON ${events} (changed_at) WHERE state = 'dead'`,
    `CREATE INDEX ${prefix}_settled ON ${events} (changed_at) WHERE body IS NULL`,
  ];
}
