import type { ResourceState } from "@countersign/rules";
import type { Bodies } from "./bodies.ts";
import { dueAtOf, type EventState } from "./event-state.ts";
import type {
  DeadEvent,
  EventKey,
  EventResource,
  QueueStatus,
  ResourceKey,
  TakenEvent,
  TakeRequest,
} from "./inbox.ts";
import {
  type EventRow,
  type Guard,
  type QueueRows,
  textOfName,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import type { EventSql } from "./sql.ts";

export type SqlValue = string | number | null;

/** A row as a driver returns it: PostgreSQL's returns a bigint as text. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** The table of events in a database. Statements that SQLite and PostgreSQL share run here, each by itself. */
export abstract class SqlRows implements QueueRows {
  readonly sql: EventSql;
  readonly bodies: Bodies;
  #looks = 0;
  /** True once an event of a resource was taken. */
  #isOrdered = false;
  /** The resource behind which the next look for the oldest events begins. */
  #lookedTo = "";

  constructor(sql: EventSql, bodies: Bodies) {
    this.sql = sql;
    this.bodies = bodies;
  }

  abstract insert(row: EventRow, guard: Guard): Promise<Written>;
  abstract update(update: Update): Promise<Written>;
  abstract revive(key: EventKey, now: number): Promise<boolean>;
  /** Runs one statement, which commits by itself. */
  protected abstract rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;

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

  async purge({ before, limit }: Parameters<QueueRows["purge"]>[0]): Promise<number> {
    return (await this.rows(this.sql.purge, [before, limit])).length;
  }

  async erase(key: EventKey, now: number): Promise<boolean> {
    return (await this.rows(this.sql.erase, [...keyValues(key), now])).length === 1;
  }

  async dropBodies({ before, limit }: Parameters<QueueRows["purge"]>[0]): Promise<number> {
    return (await this.rows(this.sql.dropBodies, [before, limit])).length;
  }

  async take(request: TakeRequest): Promise<readonly TakenEvent[]> {
    const { provider, now, limit, leaseMs, maxAttempts } = request;
    const look = (sql: string, fifth: SqlValue): Promise<readonly SqlRow[]> =>
      this.rows(sql, [now, limit, now + leaseMs, maxAttempts, fifth, provider]);
    // Now and then all resources have a turn, also while the first due events keep all workers busy.
    const isTurn = this.#isOrdered && (this.#looks += 1) % 16 === 0;
    let rows = isTurn ? [] : await look(this.sql.take, 4 * limit);
    // The first due events of resources may all wait for older ones.
    if (rows.length === 0) rows = await look(this.sql.takeOldest, this.#lookedTo);
    if (rows.length === 0) {
      const [last] = await this.rows(this.sql.lastResource, [this.#lookedTo]);
      this.#lookedTo = textIn(last?.["name"]) ?? "";
      if (isTurn) rows = await look(this.sql.take, 4 * limit);
    }
    this.#isOrdered ||= rows.some((row) => row["resource"] !== null);
    return this.bodies.opened(takenOf(rows));
  }

  async dead({ limit }: { readonly limit: number }): Promise<readonly DeadEvent[]> {
    return (await this.rows(this.sql.dead, [limit])).map(deadOf);
  }

  async status({ dueBefore }: { readonly dueBefore: number }): Promise<QueueStatus> {
    const [row] = await this.rows(this.sql.status, [dueBefore]);
    return statusOf(row);
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

const textIn = (value: SqlValue | undefined): string | undefined =>
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

/** The events claimed by `take`, in the order of storing. Those that became dead must not be handled. */
export function takenOf(rows: readonly SqlRow[]): readonly TakenEvent[] {
  return rows
    .toSorted((a, b) => Number(a["sequence"]) - Number(b["sequence"]))
    .flatMap((columns) => {
      const { state, body, facts = "{}", key, digest, type, resource } = rowOf(columns);
      if (state.at !== "claimed" || body === undefined) return [];
      const { token, attempts, alone } = state;
      return [{ key, digest, type, resource, body, facts, token, attempts, alone }];
    });
}

const deadOf = (row: SqlRow): DeadEvent => ({
  key: keyOf(row),
  type: String(row["type"]),
  attempts: Number(row["attempts"]),
  reason: String(row["reason"]),
  diedAt: Number(row["changed_at"]),
});

function statusOf(row: SqlRow | undefined): QueueStatus {
  if (row === undefined) return { unhandled: 0, overdue: 0 };
  return {
    unhandled: Number(row["unhandled"]),
    overdue: Number(row["overdue"]),
    oldest: {
      key: keyOf(row),
      type: String(row["type"]),
      attempts: Number(row["attempts"]),
      storedAt: Number(row["stored_at"]),
      dueAt: Math.max(Number(row["due_at"]), Number(row["changed_at"])),
    },
  };
}
