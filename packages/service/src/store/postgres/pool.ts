import pg from "pg";
import { type SqlValue, StoreUnavailableError } from "../driver.ts";

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
  /** A statement; several, separated by semicolons, if there are no values. */
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** Name under which the connection keeps it prepared. */
  readonly name?: string;
  /** True if only TCP keep-alive bounds it. Default false. */
  readonly isPatient?: boolean;
}

interface PostgresResult {
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
    // A connection in use needs a listener too: an unhandled error event ends the process.
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
    // Ends a statement without a time limit when the network or the server's machine is gone; the system's default is hours.
    keepAliveInitialDelayMillis: 10_000,
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

/**
 * The meaning of a failed statement for its transaction.
 *
 * - `"lost"`: the connection has ended.
 * - `"silent"`: the server did not answer in time; the connection cannot be used again.
 * - `"again"`: the server has undone the transaction in favour of another one.
 * - `"unavailable"`: the server timed out, is full or is shutting down.
 * - `"statement"`: the statement itself is at fault.
 */
export type PostgresFailure = "lost" | "silent" | "again" | "unavailable" | "statement";

/** The server did not answer in time. */
class SilentServerError extends Error {
  constructor(options?: ErrorOptions) {
    super("the server does not answer", options);
    this.name = new.target.name;
  }
}

/** Serialization failure, deadlock. */
const AGAIN = ["40001", "40P01"];
/** The server ends the connection: administrator, crash, start, idle in a transaction, idle. */
const LOST = ["57P01", "57P02", "57P03", "25P03", "57P05"];
/** Statement timeout, lock timeout, read-only database such as a standby. */
const UNAVAILABLE = ["57014", "55P03", "25006"];

/** @see PostgreSQL, appendix A, "PostgreSQL Error Codes" */
export function failureOf(error: unknown): PostgresFailure {
  if (error instanceof SilentServerError) return "silent";
  // Thrown in this process: a parameter that cannot be bound, or a value that cannot be read.
  if (error instanceof TypeError || error instanceof RangeError) return "statement";
  const state = sqlStateOf(error);
  if (state === undefined || state.startsWith("08") || LOST.includes(state)) return "lost";
  if (AGAIN.includes(state)) return "again";
  // Insufficient resources; system errors such as a disk failure.
  if (/^(?:53|58)/.test(state) || UNAVAILABLE.includes(state)) return "unavailable";
  return "statement";
}

/** The server's five-character code; `undefined` if the server has not answered. */
function sqlStateOf(error: unknown): string | undefined {
  // Errors with Node's codes, such as EPIPE, have no severity.
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The result of one try of a call. `isLost`: its connection cannot be used again. */
export type Tried<T> = { readonly isLost: boolean } & (
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "error"; readonly error: unknown }
  /** Undone; safe to repeat. */
  | { readonly kind: "again"; readonly cause: unknown }
);

/** Returns the result of a try whose statement failed with `error`; the server has undone it. */
export function undone(error: unknown): Exclude<Tried<never>, { kind: "value" }> {
  const failure = failureOf(error);
  switch (failure) {
    case "lost":
      return { kind: "again", cause: error, isLost: true };
    case "silent":
      // Not repeated: the caller has waited long enough.
      return { kind: "error", error: unavailable(error), isLost: true };
    case "again":
      return { kind: "again", cause: error, isLost: false };
    case "unavailable":
      return { kind: "error", error: unavailable(error), isLost: false };
    case "statement":
      return { kind: "error", error, isLost: false };
    default:
      return failure satisfies never;
  }
}

export function unavailable(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`the database cannot be used: ${wordsOf(cause)}`, { cause });
}

/** The error of a connection to several addresses has an empty message. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
