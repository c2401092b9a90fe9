import pg from "pg";
import type { SqlValue } from "../driver.ts";
import { SilentServerError } from "./failure.ts";

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

export interface PostgresStatement {
  /** Several ones, separated by semicolons, where there are no values. */
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** Under this name the server keeps it prepared for the connection. */
  readonly name?: string;
  /** Whether its answer may take as long as it likes. Default false. */
  readonly isPatient?: boolean;
}

export interface PostgresResult {
  readonly rows: unknown[];
  /** The first word of what the server says it did. */
  readonly command: string;
}

/** One connection. Its errors are those of `pg`: with `code` and `severity` where the server spoke. */
export interface PostgresClient {
  /** @returns The last statement's result. */
  query(statement: PostgresStatement): Promise<PostgresResult>;
  /** Gives the connection back; `isLost` ends it instead. */
  release(isLost: boolean): void;
}

/** Connections to one database, on which a transaction is read-only unless it says otherwise. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
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

/**
 * A `bigint` of a row as a number.
 *
 * @throws {RangeError} It is beyond ±(2^53 - 1), where numbers are rounded.
 */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond what a number holds`);
  return value;
}
