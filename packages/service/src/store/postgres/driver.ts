import pg from "pg";
import {
  StoreUnavailableError,
  textOf,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
  withHooks,
} from "../driver.ts";
import {
  BEGIN,
  BEGIN_UNFLUSHED,
  PreparedNames,
  timely,
  tryTransaction,
  unavailable,
  undone,
  type Tried,
} from "./transaction.ts";

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

/**
 * A PostgreSQL database, 13 or later, through `pg`: any number of processes may share it.
 *
 * Transactions are READ COMMITTED. One that the server undoes in favour of another (deadlock,
 * serialization), or whose connection ends before COMMIT, is repeated up to five times. If the connection
 * ends during COMMIT, the call fails with an unknown outcome. A lost connection is replaced by the next
 * call. The first call opens the first connection.
 *
 * Session settings must persist between statements, so PgBouncer must not pool by transaction.
 */
export function postgresDriver(options: PostgresOptions): Driver {
  return new PooledDriver(openPool(options));
}

/** Tries of one call. */
const MAX_TRIES = 5;
/** Calls that may wait for a connection: one more is refused at once. */
const MAX_WAITING = 500;

class PooledDriver implements Driver {
  readonly isAlone = false;
  readonly #pool: pg.Pool;
  readonly #names = new PreparedNames();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    const statement = this.#names.named(textOf(sql, "postgres"), params);
    return this.#tries((client) =>
      client.query(statement).then<Tried<Row[]>, Tried<Row[]>>(
        // The cast: see `Queryable`.
        ({ rows }) => ({ kind: "value", value: rows as Row[] }),
        (error: unknown) => undone(timely(error)),
      ),
    );
  }

  transaction<T>(
    run: (tx: Queryable) => Promise<T>,
    { isDurable = true }: { readonly isDurable?: boolean } = {},
  ): Promise<T> {
    const begin = isDurable ? BEGIN : BEGIN_UNFLUSHED;
    return withHooks(run, (hooked) =>
      this.#tries((client) => tryTransaction(client, this.#names, { begin, run: hooked })),
    );
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.#pool.end());
    return this.#closing;
  }

  /** Tries a call until its end is known, each time on a connection of the pool. */
  async #tries<T>(attempt: (client: pg.PoolClient) => Promise<Tried<T>>): Promise<T> {
    if (this.#closing !== undefined) throw new StoreUnavailableError("the database is closed");
    const running = this.#repeated(attempt);
    this.#underWay.add(running);
    return running.finally(() => this.#underWay.delete(running));
  }

  async #repeated<T>(attempt: (client: pg.PoolClient) => Promise<Tried<T>>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const client = await this.#connect();
      const tried = await attempt(client);
      client.release(tried.isLost);
      if (tried.kind === "value") return tried.value;
      if (tried.kind === "error") throw tried.error;
      if (tries === MAX_TRIES) throw unavailable(tried.cause);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= MAX_WAITING) {
      throw new StoreUnavailableError(`${MAX_WAITING} calls wait for a connection`);
    }
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unavailable(timely(error));
    }
  }
}

/** Extra wait for the server to report a statement timeout, in milliseconds. */
const REPORT_MS = 1000;
const INT8 = 20;

/** Connections whose transactions are read-only by default. Opens none before it is needed. */
function openPool(options: PostgresOptions): pg.Pool {
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
  return pool;
}

// `pg` types its parsers as `any`.
const getTypeParser = (type: number, format?: "text" | "binary"): unknown =>
  type === INT8 && format !== "binary" ? safeInteger : pg.types.getTypeParser(type, format);

/** Parses a `bigint` column as a number. */
function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`);
  return value;
}
