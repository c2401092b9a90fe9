import type { DatabaseSync, StatementSync } from "node:sqlite";
import { columnsOf, type EventRows, type Guard, type Written } from "./event-rows.ts";
import type { EventState } from "./event-state.ts";
import type { EventKey } from "./inbox.ts";
import {
  COLUMNS,
  type EventColumns,
  eventIndexes,
  eventSql,
  resourceStateOf,
  rowOf,
  type SqlValue,
  valuesOf,
} from "./event-sql.ts";
import type { SqliteGroup } from "./sqlite-group.ts";
import { isError } from "../is-error.ts";

const EVENTS = "countersign_events";

const CREATE = `CREATE TABLE ${EVENTS} (
  tenant TEXT NOT NULL, id TEXT NOT NULL, digest TEXT NOT NULL, type TEXT NOT NULL,
  resource TEXT, rank REAL, occurred_at INTEGER, body TEXT,
  state TEXT NOT NULL, token INTEGER NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL,
  reason TEXT, changed_at INTEGER NOT NULL, PRIMARY KEY (tenant, id)) STRICT`;

const INSERT = `INSERT INTO ${EVENTS} (${COLUMNS}) VALUES (${COLUMNS.split(",")
  .map((_, index) => `$${String(index + 1)}`)
  .join(", ")}) ON CONFLICT (tenant, id) DO NOTHING`;

const UNIQUE_VIOLATED = 2067;

/** Makes the inbox's table if it is missing, in the merchant's own file or one of its own. */
export function createTable(database: DatabaseSync): void {
  const made = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?";
  if (database.prepare(made).get(EVENTS) !== undefined) return;
  database.exec(CREATE);
  for (const index of eventIndexes(EVENTS, EVENTS)) database.exec(index);
}

/** The table of events in a SQLite file. */
export class SqliteRows implements EventRows {
  readonly #group: SqliteGroup;
  readonly #sql = eventSql(EVENTS);
  readonly #prepared = new Map<string, StatementSync>();

  constructor(group: SqliteGroup) {
    this.#group = group;
  }

  insert(...[row, now]: Parameters<EventRows["insert"]>): Promise<Written> {
    const values = valuesOf(row, now);
    return this.#group.run((database) => this.#write(database, INSERT, values));
  }

  read({ tenant, id }: EventKey): ReturnType<EventRows["read"]> {
    return this.#one<EventColumns>(this.#sql.read, [tenant, id]).then((row) => row && rowOf(row));
  }

  update(...[key, guard, state, now, body]: Parameters<EventRows["update"]>): Promise<Written> {
    return this.#group.run((database) => this.updateIn(database, { key, guard, state, now, body }));
  }

  /** An update within a transaction that is open. */
  updateIn(
    database: DatabaseSync,
    change: {
      readonly key: EventKey;
      readonly guard: Guard;
      readonly state: EventState;
      readonly now: number;
      readonly body?: string | undefined;
    },
  ): Written {
    const { key, guard, now, body } = change;
    const { at, token, attempts, dueAt, reason } = columnsOf(change.state);
    const identity = [key.tenant, key.id, guard.at, guard.token];
    const values = [...identity, at, token, attempts, dueAt, reason, now, body ?? null];
    return this.#write(database, this.#sql.update, values);
  }

  holder({ tenant, name }: Parameters<EventRows["holder"]>[0]): ReturnType<EventRows["holder"]> {
    return this.#one<EventColumns>(this.#sql.holder, [tenant, name]).then(
      (row) => row && { tenant: row.tenant, id: row.id },
    );
  }

  lastHandled({
    tenant,
    name,
  }: Parameters<EventRows["lastHandled"]>[0]): ReturnType<EventRows["lastHandled"]> {
    return this.#one<EventColumns>(this.#sql.lastHandled, [tenant, name]).then(
      (row) => row && resourceStateOf(row),
    );
  }

  due({ now, limit }: Parameters<EventRows["due"]>[0]): ReturnType<EventRows["due"]> {
    return this.#all<EventColumns>(this.#sql.due, [now, limit]).then((rows) => rows.map(rowOf));
  }

  dead({ limit }: Parameters<EventRows["dead"]>[0]): ReturnType<EventRows["dead"]> {
    return this.#all<EventColumns>(this.#sql.dead, [limit]).then((rows) =>
      rows.map(({ tenant, id, type, attempts, reason, changed_at }) => ({
        key: { tenant, id },
        type,
        attempts,
        reason: reason ?? "",
        diedAt: Number(changed_at),
      })),
    );
  }

  purge({ before, limit }: Parameters<EventRows["purge"]>[0]): Promise<number> {
    return this.#group.run((database) =>
      Number(this.#prepare(database, this.#sql.purge).run(before, limit).changes),
    );
  }

  #write(database: DatabaseSync, sql: string, values: readonly SqlValue[]): Written {
    try {
      const { changes } = this.#prepare(database, sql).run(...values);
      return Number(changes) === 1 ? "done" : "changed";
    } catch (error) {
      // The key's own conflict writes nothing: this is the index of claimed resources.
      if (isError(error) && "errcode" in error && error.errcode === UNIQUE_VIOLATED) return "held";
      throw error;
    }
  }

  #all<Row>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    // The columns are those that `eventSql` names. Node's array may be of another realm than the app's.
    return this.#group.run((database) =>
      Array.from(this.#prepare(database, sql).all(...values) as Row[]),
    );
  }

  #one<Row>(sql: string, values: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#all<Row>(sql, values).then(([row]) => row);
  }

  #prepare(database: DatabaseSync, sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
    this.#prepared.set(sql, statement);
    return statement;
  }
}
