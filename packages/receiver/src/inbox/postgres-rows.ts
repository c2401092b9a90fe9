import { Batch } from "./batch.ts";
import type { EventKey } from "./inbox.ts";
import type { PostgresDatabase, PostgresQuery, PostgresResult } from "./postgres-database.ts";
import { type EventRow, type Guard, textOfKey, type Update, type Written } from "./rows-inbox.ts";
import { changes, IS_KEY, KEY, keyIn, NAMES, UPDATED } from "./sql.ts";
import { type SqlRow, SqlRows, type SqlValue, updatedRow } from "./sql-rows.ts";
import type { TimeLimit } from "./store-faults.ts";

/** Columns of numbers that `pg` returns as text. */
const NUMBERS = /_at$|token$|^(?:attempts|sequence|unhandled|overdue)$/;

/**
 * The table of events in PostgreSQL. Nearly every call is one statement, so that it commits by itself and
 * any connection will do, also one of PgBouncer in transaction mode. Writes that wait anyway share one.
 *
 * Statements of one resource that must see each other take an advisory lock: a claim, so that of two
 * events one is claimed; a store, so that the older of two events is never the later one to be seen.
 */
export class PostgresRows extends SqlRows {
  readonly #database: PostgresDatabase;
  readonly #limit: TimeLimit;
  readonly #insertSql: string;
  readonly #updateSql: string;
  readonly #lockSql: string;
  readonly #inserts: Batch;
  readonly #updates: Batch;

  /** @param schema Quoted. */
  constructor(
    database: PostgresDatabase,
    schema: string,
    { limit, keepsBodies }: { readonly limit: TimeLimit; readonly keepsBodies: boolean },
  ) {
    const events = `${schema}.events`;
    // Until the transaction's end. As text: Prisma reads no column of type void.
    const lock = (name: string): string =>
      `pg_advisory_xact_lock(hashtextextended('${events}:' || ${name}, 0))::text`;
    super({
      events,
      skipLocked: "FOR UPDATE OF e SKIP LOCKED",
      elements: "SELECT json_array_elements_text($3::json)",
      nextSequence: `nextval(pg_get_serial_sequence('${events}', 'sequence'))`,
      lockedResource: `FROM (SELECT count(${lock("resource")}) FROM ${events} WHERE ${IS_KEY}) locked`,
    });
    this.#database = database;
    this.#limit = limit;
    // The rows are a JSON list.
    const rows = `json_populate_recordset(NULL::${events}, $1::json)`;
    this.#insertSql = `INSERT INTO ${events} (${NAMES.join(", ")}) SELECT ${NAMES.map((name) => `r.${name}`).join(", ")}
      FROM (SELECT count(${lock("resource")}) FROM (SELECT DISTINCT resource FROM ${rows} WHERE body IS NOT NULL
        ORDER BY resource) stored) locked, ${rows} r
      ON CONFLICT (${KEY}) DO NOTHING RETURNING ${KEY}`;
    const columns = UPDATED.map((name) => `${name} ${NUMBERS.test(name) ? "bigint" : "text"}`);
    this.#updateSql = `UPDATE ${events} AS e SET ${changes((name) => `u.${name}`, keepsBodies)}
      FROM json_to_recordset($1::json) AS u (${columns.join(", ")})
      WHERE (${keyIn("e")}) = (${keyIn("u")}) AND e.state = u.from_state AND e.token = u.from_token
      RETURNING ${keyIn("e")}`;
    // The bytes first, in every process. If this connection hangs from here on, the server ends the transaction.
    this.#lockSql = `SELECT ${lock("$1::text")}, ${lock("$2::text")}, set_config('statement_timeout', $3, true),
      set_config('idle_in_transaction_session_timeout', $3, true)`;
    this.#inserts = new Batch((writes) => this.#writeAll(this.#insertSql, writes), limit);
    this.#updates = new Batch((writes) => this.#writeAll(this.#updateSql, writes), limit);
  }

  insert(row: EventRow, guard: Guard): Promise<Written> {
    const update = { key: row, to: row, now: row.stored_at, guard };
    const write = (query: PostgresQuery) => query(this.#insertSql, [JSON.stringify([row])]);
    return this.#guarded(update, write) ?? this.#inserts.add(row);
  }

  update(update: Update): Promise<Written> {
    return (
      this.#guarded(update, (query) => this.updateIn(query, update)) ??
      this.#updates.add(updatedRow(update))
    );
  }

  /** Writes an update in a transaction; the result has a row if it is written. */
  updateIn(query: PostgresQuery, update: Update): Promise<PostgresResult> {
    return query(this.#updateSql, [JSON.stringify([updatedRow(update)])]);
  }

  async rows(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return rowsOf(await this.#database.query(sql, values));
  }

  /** Writes if a guard allows it: two claims of a resource, or with refused bytes, wait for each other. */
  #guarded(
    update: Omit<Update, "from">,
    write: (query: PostgresQuery) => Promise<PostgresResult>,
  ): Promise<Written> | undefined {
    const values = this.heldValues(update);
    if (values === undefined) return undefined;
    return this.#database.transaction(async ({ query }) => {
      const { refused = null, resource = null } = update.guard ?? {};
      await query(this.#lockSql, [refused, resource, String(this.#limit.ms)]);
      const held = rowsOf(await query(this.heldSql, values));
      return (
        this.heldIn(held, update) ?? ((await write(query)).rows.length === 1 ? "done" : "changed")
      );
    });
  }

  /** Writes rows in one statement, which returns the keys that it wrote. */
  async #writeAll(sql: string, writes: readonly EventKey[]): Promise<ReadonlySet<string>> {
    // In the keys' order, so that two processes with the same keys don't wait for each other.
    const sorted = writes.toSorted((a, b) => (textOfKey(a) < textOfKey(b) ? -1 : 1));
    return new Set((await this.rows(sql, [JSON.stringify(sorted)])).map(textOfKey));
  }
}

/** The columns are those of the statements. */
const rowsOf = ({ rows }: PostgresResult): readonly SqlRow[] =>
  (rows as readonly SqlRow[]).map((row) => {
    const columns = Object.entries<unknown>({ ...row }).map(([name, value]) => [
      name,
      NUMBERS.test(name) && value !== null ? Number(value) : value,
    ]);
    return Object.fromEntries(columns) as SqlRow;
  });
