import type { InboxQueue, TransactionalInbox } from "./inbox.ts";
import { rowsInbox } from "./rows-inbox.ts";
import type { PostgresPool } from "./postgres-client.ts";
import { postgresMigrations, schemaOf } from "./postgres-migrations.ts";
import { PostgresRows } from "./postgres-rows.ts";
import { type PostgresTransaction, postgresTransaction } from "./postgres-transaction.ts";

export type { PostgresClient, PostgresPool, PostgresResult } from "./postgres-client.ts";
export { type PostgresMigration, postgresMigrations } from "./postgres-migrations.ts";
export type { PostgresTransaction } from "./postgres-transaction.ts";

export interface PostgresInboxOptions {
  /** The schema that holds the inbox's tables. Default `"countersign"`. */
  readonly schema?: string;
}

export interface PostgresInbox extends TransactionalInbox<PostgresTransaction> {
  readonly durable: true;
  readonly queue: InboxQueue;
  /** Applies the migrations that are missing; any number of processes may call it at once. */
  migrate(): Promise<void>;
}

/**
 * An inbox in PostgreSQL, 12 or later, over a `pg.Pool` of the merchant's: any number of processes
 * share it, also through PgBouncer in transaction mode, since no state of a session is used.
 *
 * A handler that uses `context.transaction` holds one connection, and may query the pool beside it:
 * `maxConcurrentHandlers` is the pool's size less one, so that one connection is always left to such
 * queries and to the inbox's own.
 *
 * @throws {TypeError} no pool, a pool of one connection, or `schema` is no plain name.
 */
export function postgresInbox(
  pool: PostgresPool,
  { schema = "countersign" }: PostgresInboxOptions = {},
): PostgresInbox {
  if (typeof pool?.query !== "function" || typeof pool.connect !== "function")
    throw new TypeError("postgresInbox: a pool with `query` and `connect` is needed");
  const size = pool.options?.max;
  if (size !== undefined && size < 2)
    throw new TypeError(
      "postgresInbox: the pool needs 2 connections or more: one for a handler's transaction, one beside it",
    );
  const name = schemaOf(schema);
  const rows = new PostgresRows(pool, name);
  return {
    ...rowsInbox(rows, { durable: true }),
    durable: true,
    ...(size === undefined ? {} : { maxConcurrentHandlers: size - 1 }),
    begin: (claim) => postgresTransaction(pool, rows, claim),
    migrate: () => migrate(pool, schema),
  };
}

async function migrate(pool: PostgresPool, schema: string): Promise<void> {
  const client = await pool.connect();
  let done = false;
  try {
    await client.query("BEGIN");
    // Ends with the transaction. The number is arbitrary and the same in every process.
    await client.query("SELECT pg_advisory_xact_lock(421367531, hashtext($1))", [schema]);
    const known = await client.query("SELECT to_regclass($1) AS migrations", [
      `${schema}.migrations`,
    ]);
    const [found] = known.rows as readonly { readonly migrations: string | null }[];
    const applied =
      found?.migrations == null
        ? []
        : (await client.query(`SELECT number FROM ${schemaOf(schema)}.migrations`)).rows;
    const numbers = new Set(
      (applied as readonly { readonly number: number }[]).map((row) => row.number),
    );
    for (const { number, sql } of postgresMigrations(schema))
      if (!numbers.has(number)) await client.query(sql);
    await client.query("COMMIT");
    done = true;
  } finally {
    if (!done) await client.query("ROLLBACK").catch(() => undefined);
    client.release(!done);
  }
}
