import { MistakeError } from "../mistake.ts";
import { Bodies } from "./bodies.ts";
import type { InboxQueue, StoredBodies, TransactionalInbox } from "./inbox.ts";
import {
  limited,
  poolDatabase,
  type PostgresClient,
  type PostgresDatabase,
  type PostgresPool,
  type PostgresQuery,
} from "./postgres-database.ts";
import { PostgresRows } from "./postgres-rows.ts";
import { type PostgresTransaction, postgresTransaction } from "./postgres-transaction.ts";
import { rowsInbox } from "./rows-inbox.ts";
import { COLUMNS, eventIndexes, KEY, requireColumns } from "./sql.ts";
import { sqlQueue } from "./sql-queue.ts";
import { TimeLimit } from "./store-faults.ts";

export type {
  OpenTransaction,
  PostgresClient,
  PostgresDatabase,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from "./postgres-database.ts";
export type { PostgresTransaction } from "./postgres-transaction.ts";

export interface PostgresInboxOptions extends StoredBodies {
  /** The schema of the inbox's tables, one per service that shares the database. */
  readonly schema: string;
  /** The longest time for each of the inbox's own statements, and for a connection, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
}

export interface PostgresInbox<Client = PostgresClient> extends TransactionalInbox<
  PostgresTransaction<Client>
> {
  readonly queue: InboxQueue;
  /** Applies the missing migrations; any number of processes may call it at once. */
  migrate(): Promise<void>;
}

/**
 * An inbox in PostgreSQL, 12 or later, over your `pg.Pool`, or over two functions of another library:
 * any number of processes of one service share it, also through PgBouncer in transaction mode, since no
 * state of a session is used.
 *
 * A handler that uses `context.transaction` holds one connection, and may query the pool as well:
 * `maxConcurrentHandlers` is the pool's size less one, so that one connection is always left for such
 * queries and for the inbox's own.
 *
 * @throws {TypeError} no pool, a pool of one connection, or `schema` is missing or not a plain name.
 */
export function postgresInbox(pool: PostgresPool, options: PostgresInboxOptions): PostgresInbox;
export function postgresInbox<Client>(
  database: PostgresDatabase<Client>,
  options: PostgresInboxOptions,
): PostgresInbox<Client>;
export function postgresInbox(
  source: PostgresPool | PostgresDatabase,
  options: PostgresInboxOptions,
): PostgresInbox<unknown> {
  // Plain JavaScript may pass no options.
  const { schema, timeoutMs } = (options ?? {}) as Partial<PostgresInboxOptions>;
  const limit = new TimeLimit("postgresInbox", timeoutMs);
  const database = databaseOf(source, limit);
  const size = database.connections;
  if (size !== undefined && size < 2)
    throw new MistakeError(
      "postgresInbox: the pool needs 2 connections or more: one for a handler's transaction, one for the inbox",
    );
  const name = quotedSchema(schema);
  let isKnown = false;
  const own = limited(database, limit, async () => {
    isKnown ||= await isCurrent(database.query, name);
  });
  const bodies = new Bodies("postgresInbox", options);
  const rows = new PostgresRows(own, name, { limit, keepsBodies: bodies.retentionMs > 0 });
  return {
    ...rowsInbox(rows),
    queue: sqlQueue(rows, bodies),
    ...(size === undefined ? {} : { maxConcurrentHandlers: size - 1 }),
    begin: (claim) => postgresTransaction(database, rows, claim, limit),
    migrate: () => migrate(database, name),
  };
}

function databaseOf(source: PostgresPool | PostgresDatabase, limit: TimeLimit): PostgresDatabase {
  if (typeof source === "object" && source !== null) {
    if ("transaction" in source && typeof source.transaction === "function") return source;
    if ("connect" in source && typeof source.connect === "function")
      return poolDatabase(source, limit);
  }
  throw new MistakeError("postgresInbox: expected a pg.Pool, or { query, transaction }");
}

function quotedSchema(schema: unknown): string {
  if (typeof schema !== "string" || !/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new MistakeError(
      'postgresInbox: missing or invalid "schema": expected the service\'s name of lower-case letters, digits and ' +
        'underscores, at most 63, e.g. { schema: "ledger" }',
    );
  return `"${schema}"`;
}

export interface PostgresMigration {
  /** From 1, without gaps; a published migration is never changed. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/**
 * The inbox's migrations, for other migration tools: run each once, in order, in a transaction.
 * `migrate()` of the inbox does that, and records them in `migrations`.
 *
 * @throws {TypeError} `schema` is not a plain name.
 */
export function postgresMigrations(schema: string): readonly PostgresMigration[] {
  return migrations(quotedSchema(schema));
}

function migrations(schema: string): readonly PostgresMigration[] {
  const events = `${schema}.events`;
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  const statements = [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    `CREATE TABLE IF NOT EXISTS ${schema}.migrations (number integer PRIMARY KEY, name text NOT NULL)`,
    // Every event is written twice or more: room for the second writing on the same page.
    `CREATE TABLE ${events} (${columns.join(", ")}, sequence bigint GENERATED BY DEFAULT AS IDENTITY,
  PRIMARY KEY (${KEY})) WITH (fillfactor = 70)`,
    ...eventIndexes(events, "events"),
    `INSERT INTO ${schema}.migrations (number, name) VALUES (1, 'events')`,
  ];
  return [{ number: 1, name: "events", sql: `${statements.join(";\n")};\n` }];
}

async function migrate(database: PostgresDatabase, schema: string): Promise<void> {
  await database.transaction(async ({ query }) => {
    // Ends with the transaction. The number is arbitrary and the same in every process.
    await query("SELECT pg_advisory_xact_lock(421367531, hashtext($1))", [schema]);
    const table = `${schema}.migrations`;
    const found = await query("SELECT to_regclass($1) IS NOT NULL AS found", [table]);
    const [{ found: isThere } = { found: false }] = found.rows as readonly { found: boolean }[];
    const applied = isThere ? (await query(`SELECT number FROM ${table}`)).rows : [];
    const numbers = new Set((applied as readonly { number: number }[]).map((row) => row.number));
    for (const { number, sql } of migrations(schema)) if (!numbers.has(number)) await query(sql);
    await isCurrent(query, schema);
  });
}

/**
 * Looks at the table: in one of another version, nothing could be recorded.
 *
 * @returns False if there is no table yet.
 */
async function isCurrent(query: PostgresQuery, schema: string): Promise<boolean> {
  const table = `${schema}.events`;
  const { rows } = await query(
    "SELECT attname::text AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
    [table],
  );
  const names = (rows as readonly { readonly name: string }[]).map(({ name }) => name);
  if (names.length > 0) requireColumns(names, { inbox: "postgresInbox", table, place: "schema" });
  return names.length > 0;
}
