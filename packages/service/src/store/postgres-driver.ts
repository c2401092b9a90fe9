import pg from "pg";
import type { Driver } from "./driver.ts";
import { PooledDriver } from "./pooled-driver.ts";
import { SilentServerError } from "./postgres-failure.ts";
import type { PostgresPool, PostgresResult, PostgresStatement } from "./postgres-pool.ts";
import { safeInteger } from "./safe-integer.ts";

export interface PostgresOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with what `pg` reads of a query, such as `sslmode`. */
  readonly url: string;
  /** Connections of this process at most. Default 10. */
  readonly maxConnections?: number;
  /** How long a call waits for a connection, in milliseconds. Default 10 000. */
  readonly connectMs?: number;
  /** How long a statement waits for another transaction's row, in milliseconds. Default 5000. */
  readonly lockMs?: number;
  /** How long a statement takes, in milliseconds. Default 10 000. */
  readonly statementMs?: number;
}

/** How long the server's word that a statement takes too long is waited for, in milliseconds. */
const WORD_MS = 1000;
const EVER_MS = 2 ** 31 - 1;
const INT8 = 20;

/**
 * A PostgreSQL database, 13 or later, through `pg`: any number of processes may share it.
 *
 * Transactions are READ COMMITTED. One that the server undoes for the sake of another (deadlock,
 * serialization), or whose connection ends before COMMIT, is run again, five times at most; where the
 * connection ends during COMMIT, the server is asked what became of it. A connection that is lost
 * never ends the process: the next call opens another one. Opens nothing before the first call.
 *
 * The session's settings must hold from statement to statement: no PgBouncer in transaction mode.
 */
export function postgresDriver(options: PostgresOptions): Driver {
  return new PooledDriver(poolOf(options));
}

function poolOf(options: PostgresOptions): PostgresPool {
  const { url, maxConnections = 10, connectMs = 10_000, lockMs = 5000 } = options;
  const { statementMs = 10_000 } = options;
  const settings = [
    "default_transaction_read_only = on",
    `lock_timeout = ${lockMs}`,
    `statement_timeout = ${statementMs}`,
    // A process that has stopped in the middle keeps its locks no longer than this.
    `idle_in_transaction_session_timeout = ${statementMs}`,
  ];
  // The pool waits for the promise, which its types do not know.
  const onConnect = (client: pg.ClientBase): unknown => {
    // Also while it is lent: an error event that nobody listens to ends the process.
    client.on("error", () => {});
    return client.query(settings.map((setting) => `SET ${setting}`).join("; "));
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    // For a network that says nothing any more.
    query_timeout: statementMs + WORD_MS,
    keepAlive: true,
    application_name: "countersign",
    types: { getTypeParser },
    onConnect,
    // What a transaction sends does not wait for the answer to what it sent before.
    pipeline: true,
  });
  pool.on("error", () => {});
  return {
    connect: async () => {
      const client = await pool.connect();
      return {
        query: (statement) => query(client, statement),
        release: (isLost) => client.release(isLost),
      };
    },
    end: () => pool.end(),
  };
}

async function query(
  client: pg.ClientBase,
  { values, isPatient, ...statement }: PostgresStatement,
): Promise<PostgresResult> {
  const config = {
    ...statement,
    ...(values && { values: [...values] }),
    ...(isPatient === true && { query_timeout: EVER_MS }),
  };
  try {
    // Of several statements `pg` hands out a list, which its types do not know.
    const results = (await client.query(config)) as PostgresResult | PostgresResult[];
    const last = Array.isArray(results) ? results.at(-1) : results;
    if (last === undefined) throw new TypeError("there is no statement");
    return last;
  } catch (error) {
    // The only sign by which `pg` tells its own deadline.
    const isSilent = error instanceof Error && error.message === "Query read timeout";
    throw isSilent ? new SilentServerError({ cause: error }) : error;
  }
}

// Of the parsers `pg` says `any`.
const getTypeParser = (type: number, format?: "text" | "binary"): unknown =>
  type === INT8 && format !== "binary" ? safeInteger : pg.types.getTypeParser(type, format);
