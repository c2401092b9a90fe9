import { MistakeError } from "../mistake.ts";
import { Bodies } from "./bodies.ts";
import type { InboxQueue, StoredBodies } from "./inbox.ts";
import type { TransactionalInbox } from "./transaction.ts";
import {
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
  /** Creates the tables if they are missing; any number of processes may call it at once. */
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
  const ready = async (): Promise<void> => {
    isKnown ||= await isCurrent(database.query, name);
    if (isKnown) return;
    const error = new Error(
      `PostgreSQL has no table ${name}.events: await inbox.migrate() when your app starts, or run the SQL of postgresTables(schema)`,
    );
    // PostgreSQL's own code, by which the command recognizes it.
    throw Object.assign(error, { code: "42P01" });
  };
  // The inbox's own statements and transactions; those of handlers have no limit but the lease.
  const own: PostgresDatabase = {
    query: (text, values) => limit.run(() => ready().then(() => database.query(text, values))),
    transaction: (work) =>
      limit.run(async () => {
        await ready();
        return database.transaction((transaction) => {
          const query: PostgresQuery = (text, values) =>
            limit.run(() => transaction.query(text, values));
          return work({ ...transaction, query });
        });
      }),
  };
  const bodies = new Bodies("postgresInbox", options);
  const rows = new PostgresRows(own, name, { limit, keepsBodies: bodies.retentionMs > 0 });
  return {
    ...rowsInbox(rows),
    ...sqlQueue(rows, bodies),
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

/**
 * Returns the SQL that creates the inbox's schema and table, for other migration tools: run it once, in a transaction, as
 * `migrate()` of the inbox does.
 *
 * @throws {TypeError} `schema` is not a plain name.
 */
export const postgresTables = (schema: string): string =>
  tables(quotedSchema(schema))
    .map((statement) => `${statement};\n`)
    .join("");

function tables(schema: string): readonly string[] {
  const events = `${schema}.events`;
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
  return [
    `CREATE SCHEMA IF NOT EXISTS ${schema}`,
    // Every event is written twice or more: room for the second writing on the same page.
    `CREATE TABLE ${events} (${columns.join(", ")}, sequence bigint GENERATED BY DEFAULT AS IDENTITY,
  PRIMARY KEY (${KEY})) WITH (fillfactor = 70)`,
    ...eventIndexes(events, "events"),
  ];
}

async function migrate(database: PostgresDatabase, schema: string): Promise<void> {
  await database.transaction(async ({ query }) => {
    // Ends with the transaction. The number is arbitrary and the same in every process.
    // As text: Prisma reads no column of type void.
    await query("SELECT pg_advisory_xact_lock(421367531, hashtext($1))::text", [schema]);
    if (await isCurrent(query, schema)) return;
    // One at a time: Prisma takes one statement only.
    for (const statement of tables(schema)) await query(statement);
  });
}

/**
 * Looks at the table: in one of another version, nothing could be recorded.
 *
 * @returns False if the table does not exist yet.
 */
async function isCurrent(query: PostgresQuery, schema: string): Promise<boolean> {
  const table = `${schema}.events`;
  const { rows } = await query(
    "SELECT attname::text AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped",
    [table],
  );
  const names = (rows as readonly { readonly name: string }[]).map(({ name }) => name);
  if (names.length > 0) requireColumns(names, table, "schema");
  return names.length > 0;
}
