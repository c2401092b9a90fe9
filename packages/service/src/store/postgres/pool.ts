import pg from "pg";
import type { SqlValue } from "../driver.ts";
import { SilentServerError } from "./failure.ts";

export interface PostgresOptions {
  /** `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with query parameters of `pg`, such as `sslmode`. */
  readonly url: string;
  /** Maximum connections of this process. Default 10. */
  readonly maxConnections?: number;
  /** Maximum wait of a call for a connection, in milliseconds. Default 10,000. */
  readonly connectMs?: number;
  /** Maximum wait of a statement for a row lock, in milliseconds. Default 5000. */
  readonly lockMs?: number;
  /** Maximum duration of a statement, in milliseconds. Default 10,000. */
  readonly statementMs?: number;
}

/** Extra wait for the server to report a statement timeout, in milliseconds. */
const REPORT_MS = 1000;
const EVER_MS = 2 ** 31 - 1;
const INT8 = 20;

export interface PostgresStatement {
  /** Without values also several statements, separated by semicolons. */
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** Name under which the connection keeps it prepared. */
  readonly name?: string;
  /** True if it has no time limit. Default false. */
  readonly isPatient?: boolean;
}

export interface PostgresResult {
  readonly rows: unknown[];
  /** First word of the server's command tag. */
  readonly command: string;
}

/** One connection. Its errors are those of `pg`: the server's have `code` and `severity`. */
export interface PostgresClient {
  /** @returns The last statement's result. */
  query(statement: PostgresStatement): Promise<PostgresResult>;
  /** Returns the connection to the pool; `isLost` closes it instead. */
  release(isLost: boolean): void;
}

/** Connections to one database. Transactions are read-only by default. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** Calls of `connect` that wait. */
  waiting(): number;
  end(): Promise<void>;
}

/** Opens nothing before the first `connect`. */
export function openPool(options: PostgresOptions): PostgresPool {
  const { url, maxConnections = 10, connectMs = 10_000, lockMs = 5000 } = options;
  const { statementMs = 10_000 } = options;
  const settings = [
    "default_transaction_read_only = on",
    `lock_timeout = ${lockMs}`,
    `statement_timeout = ${statementMs}`,
    // Bounds how long a stalled process keeps its locks.
    `idle_in_transaction_session_timeout = ${statementMs}`,
  ];
  // The pool awaits the promise, although its types do not say so.
  const onConnect = (client: pg.ClientBase): unknown => {
    // Also while a connection is in use: an unhandled error event ends the process.
    client.on("error", () => {});
    return client.query(settings.map((setting) => `SET ${setting}`).join("; "));
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    // For a network that stops answering.
    query_timeout: statementMs + REPORT_MS,
    keepAlive: true,
    application_name: "countersign",
    types: { getTypeParser },
    onConnect,
    // Statements of a transaction are sent without waiting for earlier answers.
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
    waiting: () => pool.waitingCount,
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
    // The cast: for several statements `pg` returns a list, although its types do not say so.
    const results = (await client.query(config)) as PostgresResult | PostgresResult[];
    const last = Array.isArray(results) ? results.at(-1) : results;
    if (last === undefined) throw new TypeError("missing statement");
    return last;
  } catch (error) {
    // `pg` marks its own timeout only by this message.
    const isSilent = error instanceof Error && error.message === "Query read timeout";
    throw isSilent ? new SilentServerError({ cause: error }) : error;
  }
}

// `pg` types its parsers as `any`.
const getTypeParser = (type: number, format?: "text" | "binary"): unknown =>
  type === INT8 && format !== "binary" ? safeInteger : pg.types.getTypeParser(type, format);

/**
 * Parses a `bigint` column as a number.
 *
 * @throws {RangeError} The value is outside ±(2^53 - 1).
 */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`);
  return value;
}
