import type { ResourceState } from "@countersign/rules";
import { dueAtOf, type EventState } from "./event-state.ts";
import type { EventKey, EventResource, ResourceKey } from "./inbox.ts";
import {
  type EventRow,
  type Guard,
  type EventRows,
  textOfName,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import type { EventSql } from "./sql.ts";

export type SqlValue = string | number | null;

/** A row as a driver returns it: PostgreSQL's returns a bigint as text. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The table of events in a database. Statements that SQLite and PostgreSQL share run here, each by itself. */
export abstract class SqlRows implements EventRows {
  readonly sql: EventSql;

  constructor(sql: EventSql) {
    this.sql = sql;
  }

  abstract insert(row: EventRow, guard: Guard): Promise<Written>;
  abstract update(update: Update): Promise<Written>;
  /** Makes a dead event due, behind the stored events of its resource. */
  abstract revive(key: EventKey, now: number): Promise<boolean>;
  /** Runs one statement, which commits by itself. */
  abstract rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;

  async read(key: EventKey): Promise<EventRow | undefined> {
    const [row] = await this.rows(this.sql.read, keyValues(key));
    return row && rowOf(row);
  }

  async withBytes(digest: string, key: EventKey, now: number): Promise<EventRow | undefined> {
    const [row] = await this.rows(this.sql.withBytes, [textOfName(key, digest), key.id, now]);
    return row && rowOf(row);
  }

  async lastHandled(resource: ResourceKey): Promise<ResourceState | undefined> {
    const name = textOf(textOfName(resource, resource.name));
    const [row] = await this.rows(this.sql.lastHandled, [name]);
    return row && resourceStateOf(row);
  }

  async purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    return (await this.rows(this.sql.purge, [before, limit])).length;
  }
}

/** The values of `COLUMNS`, in their order. */
export function valuesOf(row: EventRow): SqlValue[] {
  const { key, digest, comparesBytes, type, resource, body, facts, state, seenAt } = row;
  return [
    ...keyValues(key),
    digest,
    comparesBytes ? textOfName(key, digest) : null,
    textOf(type),
    resource === undefined ? null : textOf(textOfName(key, resource.name)),
    resource?.rank ?? null,
    // NaN is not a number to PostgreSQL's bigint.
    resource !== undefined && Number.isSafeInteger(resource.timestamp) ? resource.timestamp : null,
    body ?? null,
    facts ?? null,
    ...stateValues(state),
    seenAt,
    seenAt,
  ];
}

export const keyValues = ({ provider, tenant, id }: EventKey): SqlValue[] => [provider, tenant, id];

/** The values of `update`, in their order. */
export function updateValues({ key, from, to, now, body, facts }: Update): SqlValue[] {
  const added = [body ?? null, facts ?? null];
  return [...keyValues(key), from.at, from.token, ...stateValues(to), now, ...added];
}

/** The values of `heldUntil`, in their order. */
export const heldValues = (key: EventKey, resource: string, now: number): SqlValue[] => [
  ...keyValues(key),
  textOf(resource),
  now,
];

const stateValues = (state: EventState): SqlValue[] => [
  state.at,
  state.token,
  state.attempts,
  dueAtOf(state),
  state.at === "dead" ? state.reason : null,
];

/** PostgreSQL's text holds no NUL, and a type is any text that the sender signs. */
export const textOf = (text: string): string => text.replaceAll("\0", "\uFFFD");

/** @throws {Error} the row's state is unknown: another program wrote it. */
export function rowOf(row: SqlRow): EventRow {
  const key = keyOf(row);
  return {
    key,
    digest: String(row["digest"]),
    comparesBytes: row["bytes"] !== null,
    type: String(row["type"]),
    resource: resourceOf(row, key),
    body: textIn(row["body"]),
    facts: textIn(row["facts"]),
    state: stateOf(row),
    seenAt: Number(row["stored_at"]),
  };
}

export const textIn = (value: SqlValue | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

export const keyOf = (row: SqlRow): EventKey => ({
  provider: String(row["provider"]),
  tenant: String(row["tenant"]),
  id: String(row["id"]),
});

function resourceOf(row: SqlRow, key: EventKey): EventResource | undefined {
  if (row["resource"] === null) return undefined;
  const { rank, timestamp } = resourceStateOf(row);
  const name = String(row["resource"]).slice(textOfName(key, "").length);
  return { name, rank, timestamp };
}

function resourceStateOf(row: SqlRow): ResourceState {
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
      return { at, ...counts, leaseEndsAt: due ?? 0, alone: row["reason"] !== null };
    case "handled":
    case "superseded":
      return { at, ...counts };
    case "dead":
      return { at, ...counts, reason: String(row["reason"] ?? "") };
    default:
      throw new Error(`the inbox holds an event in the unknown state ${JSON.stringify(at)}`);
  }
}
