import { setTimeout } from "node:timers/promises";
import {
  StoreUnavailableError,
  textOf,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
  type TransactionOptions,
  type Vitals,
  withHooks,
} from "../driver.ts";
import {
  unavailable,
  undone,
  type Tried,
  openPool,
  type PostgresClient,
  type PostgresOptions,
  type PostgresPool,
} from "./pool.ts";
import {
  exclusive,
  shared,
  tryTransaction,
  unflushed,
  PreparedNames,
  type Begin,
  type TransactionId,
  type Unanswered,
} from "./transaction.ts";

/**
 * A PostgreSQL database, 13 or later, through `pg`: any number of processes may share it.
 *
 * Transactions are READ COMMITTED. One that the server undoes in favour of another (deadlock,
 * serialization), or whose connection ends before COMMIT, is repeated up to five times. If the connection
 * ends during COMMIT, the driver asks the server for the result. A lost connection is replaced by the next
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
/** Queries for the result of a transaction, and the milliseconds between them. */
const MAX_ASKED = 20;
const ASK_MS = 50;

// Asked of the same server process only: another one may reuse the number.
const STATUS = `SELECT CASE WHEN pg_postmaster_start_time()::text = $2
  THEN pg_xact_status($1::xid8) END AS status`;

/** PostgreSQL over a pool of connections. */
class PooledDriver implements Driver {
  readonly isAlone = false;
  readonly #pool: PostgresPool;
  readonly #names = new PreparedNames();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#tracked(() => this.#query<Row>(sql, params));
  }

  transaction<T>(
    run: (tx: Queryable) => Promise<T>,
    { isDurable = true }: TransactionOptions = {},
  ): Promise<T> {
    const begin = isDurable ? shared : unflushed;
    return withHooks(run, (hooked) => this.#tracked(() => this.#transact(begin, hooked)));
  }

  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return withHooks(run, (hooked) => this.#tracked(() => this.#transact(exclusive, hooked)));
  }

  vitals(): Vitals {
    return { waitingCalls: this.#pool.waiting() };
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(() => this.#pool.end());
    return this.#closing;
  }

  async #tracked<T>(call: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new StoreUnavailableError("the database is closed");
    const running = call();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  #query<Row>(sql: Sql, params: readonly SqlValue[]): Promise<Row[]> {
    const statement = this.#names.named(textOf(sql, "postgres"), params);
    return this.#tries(async () => {
      const client = await this.#connect();
      const tried = await client.query(statement).then<Tried<Row[]>, Tried<Row[]>>(
        // The cast: see `Queryable`.
        ({ rows }) => ({ kind: "value", value: rows as Row[], isLost: false }),
        undone,
      );
      client.release(tried.isLost);
      return tried;
    });
  }

  #transact<T>(begin: Begin, run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#tries(async () => {
      const client = await this.#connect();
      const tried = await tryTransaction(client, this.#names, { begin, run });
      const isUnanswered = tried.kind === "unanswered";
      client.release(isUnanswered || tried.isLost);
      return isUnanswered ? this.#answer(tried) : tried;
    });
  }

  async #tries<T>(attempt: () => Promise<Tried<T>>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const tried = await attempt();
      switch (tried.kind) {
        case "value":
          return tried.value;
        case "error":
          throw tried.error;
        case "again":
          if (tries === MAX_TRIES) throw unavailable(tried.cause);
          break;
        default:
          return tried satisfies never;
      }
    }
  }

  async #connect(): Promise<PostgresClient> {
    if (this.#pool.waiting() >= MAX_WAITING) {
      const message = `${MAX_WAITING} calls wait for a connection`;
      throw new StoreUnavailableError(message, { fault: "unreachable" });
    }
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** Returns the result of a transaction whose COMMIT was not answered; the server knows it for a while. */
  async #answer<T>({ id, value, cause }: Unanswered<T>): Promise<Tried<T>> {
    const isLost = true;
    const status = await this.#statusOf(id);
    switch (status) {
      case "committed":
        return { kind: "value", value, isLost };
      case "aborted":
        return { kind: "again", cause, isLost };
      case "unknown": {
        const message = "the connection ended during COMMIT: the call may be stored";
        const error = new StoreUnavailableError(message, { outcome: "unknown", cause });
        return { kind: "error", error, isLost };
      }
      default:
        return status satisfies never;
    }
  }

  async #statusOf({ id, server }: TransactionId): Promise<"committed" | "aborted" | "unknown"> {
    try {
      for (let asked = 1; asked <= MAX_ASKED; asked += 1) {
        const [row] = await this.#query<{ status: string | null }>(STATUS, [id, server]);
        if (row?.status === "committed" || row?.status === "aborted") return row.status;
        if (row?.status !== "in progress") return "unknown";
        // The server has not yet noticed that its client is gone.
        await setTimeout(ASK_MS);
      }
      return "unknown";
    } catch {
      return "unknown";
    }
  }
}
