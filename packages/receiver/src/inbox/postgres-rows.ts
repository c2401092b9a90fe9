import { Batch, type Write } from "./batch.ts";
import type { EventKey } from "./inbox.ts";
import type { PostgresDatabase, PostgresQuery } from "./postgres-database.ts";
import {
  type EventRow,
  type Guard,
  heldByBytes,
  textOfKey,
  textOfName,
  type Update,
  type Written,
} from "./rows-inbox.ts";
import { eventSql, LOCK } from "./sql.ts";
import type { TimeLimit } from "./store-faults.ts";
import {
  heldValues,
  keyOf,
  keyValues,
  rowOf,
  type SqlRow,
  SqlRows,
  type SqlValue,
  textOf,
  updateValues,
  valuesOf,
} from "./sql-rows.ts";

/**
 * The table of events in PostgreSQL. Nearly every call is one statement, so that it commits by itself and
 * any connection will do, also one of PgBouncer in transaction mode. Writes that wait anyway share one.
 *
 * Statements of one resource that must see each other take an advisory lock: a claim, so that of two
 * events one is claimed; a store, so that the older of two events is never the later one to be seen.
 */
export class PostgresRows extends SqlRows {
  readonly #database: PostgresDatabase;
  readonly #events: string;
  readonly #inserts: Batch;
  readonly #updates: Batch;
  readonly #limit: TimeLimit;

  /** @param schema Quoted. */
  constructor(
    database: PostgresDatabase,
    schema: string,
    { limit, keepsBodies }: { readonly limit: TimeLimit; readonly keepsBodies: boolean },
  ) {
    const events = `${schema}.events`;
    const skipLocked = "FOR UPDATE OF e SKIP LOCKED";
    super(eventSql(events, { skipLocked, keepsBodies }));
    this.#database = database;
    this.#limit = limit;
    this.#events = events;
    this.#inserts = this.#batch(this.sql.insertAll, (writes) => [
      writes.flatMap(({ lock }) => lock ?? []).toSorted(),
    ]);
    this.#updates = this.#batch(this.sql.updateAll, () => []);
  }

  insert(row: EventRow, guard: Guard): Promise<Written> {
    const { key, resource, state, body, seenAt: now } = row;
    const values = valuesOf(row);
    if (isGuarded(state, guard))
      return this.#guarded(guard, { key, to: state, now }, (query) =>
        query(this.sql.insertAll, [...listsOfOne(values), []]),
      );
    const isOrdered = resource !== undefined && body !== undefined;
    const lock = isOrdered ? this.#lockOf(textOfName(key, resource.name)) : undefined;
    return this.#inserts.add({ key, values, lock });
  }

  update(update: Update): Promise<Written> {
    if (isGuarded(update.to, update))
      return this.#guarded(update, update, (query) => this.updateIn(query, update));
    return this.#updates.add({ key: update.key, values: updateValues(update) });
  }

  /** Writes an update in a transaction; the result has a row if it is written. */
  updateIn(query: PostgresQuery, update: Update): ReturnType<PostgresQuery> {
    return query(this.sql.updateAll, listsOfOne(updateValues(update)));
  }

  revive(key: EventKey, now: number): Promise<boolean> {
    return this.#database.transaction(async ({ query }) => {
      const [row] = rowsOf(await query(this.sql.read, keyValues(key)));
      const resource = row && rowOf(row).resource;
      if (resource !== undefined) await this.#lock(query, textOfName(key, resource.name));
      const { rows } = await query(
        `UPDATE ${this.#events} SET state = 'waiting', attempts = 0, due_at = 0, reason = NULL, changed_at = $4,
          sequence = nextval(pg_get_serial_sequence('${this.#events}', 'sequence'))
          WHERE provider = $1 AND tenant = $2 AND id = $3 AND state = 'dead' RETURNING id`,
        [...keyValues(key), now],
      );
      return rows.length === 1;
    });
  }

  async rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return rowsOf(await this.#database.query(sql, values));
  }

  #lockOf(name: string): string {
    return `${this.#events}:${textOf(name)}`;
  }

  async #lock(query: PostgresQuery, name: string): Promise<void> {
    // If this connection hangs from here on, the server ends the transaction and its lock.
    await query(
      `SELECT ${LOCK}$1, 0)), set_config('statement_timeout', $2, true),
        set_config('idle_in_transaction_session_timeout', $2, true)`,
      [this.#lockOf(name), String(this.#limit.ms)],
    );
  }

  /** Writes if the guard allows it: two claims of a resource, or with refused bytes, wait for each other. */
  #guarded(
    { resource, refused }: Guard,
    { key, to, now }: Pick<Update, "key" | "to" | "now">,
    write: (query: PostgresQuery) => ReturnType<PostgresQuery>,
  ): Promise<Written> {
    return this.#database.transaction(async ({ query }) => {
      // The bytes first, in every process.
      if (refused !== undefined) {
        const bytes = textOfName(key, refused);
        await this.#lock(query, bytes);
        const [other] = rowsOf(await query(this.sql.withBytes, [bytes, key.id, now]));
        const held = heldByBytes(other && rowOf(other), now);
        if (held !== undefined) return held;
      }
      if (resource !== undefined) {
        await this.#lock(query, resource);
        if (to.at === "claimed") {
          const [held] = rowsOf(await query(this.sql.heldUntil, heldValues(key, resource, now)));
          if (held?.["until"] != null) return { heldUntil: Number(held["until"]) };
        }
      }
      return (await write(query)).rows.length === 1 ? "done" : "changed";
    });
  }

  /** Writes of one kind, whose statement takes a list for each column and returns the keys it wrote. */
  #batch(sql: string, more: (writes: readonly Write[]) => readonly (readonly SqlValue[])[]): Batch {
    const run = async (writes: readonly Write[]): Promise<ReadonlySet<string>> => {
      // In the keys' order, so that two processes with the same keys don't wait for each other.
      const sorted = writes.toSorted((a, b) => (textOfKey(a.key) < textOfKey(b.key) ? -1 : 1));
      const lists = (sorted[0]?.values ?? []).map((_, column) =>
        sorted.map(({ values }) => values[column] ?? null),
      );
      const written = rowsOf(await this.#database.query(sql, [...lists, ...more(sorted)]));
      return new Set(written.map((row) => textOfKey(keyOf(row))));
    };
    return new Batch(run, this.#limit);
  }
}

const listsOfOne = (values: readonly SqlValue[]): readonly SqlValue[][] =>
  values.map((value) => [value]);

// The columns are those of the statements.
const rowsOf = ({ rows }: { readonly rows: readonly unknown[] }): readonly SqlRow[] =>
  rows as readonly SqlRow[];

const isGuarded = ({ at }: EventRow["state"], { resource, refused }: Guard): boolean =>
  refused !== undefined || (resource !== undefined && at === "claimed");
