/** What a statement may bind. Money is bigint cents, times are milliseconds, flags are 0 or 1. */
export type SqlValue = string | number | bigint | null;

/**
 * Runs one statement. Parameters are `$1`, `$2`, … in the text, which is the same for SQLite and
 * PostgreSQL. Integers come back as numbers: every integer column stays within ±(2^53 - 1), and a
 * driver throws for one that does not.
 */
export interface Queryable {
  /** @typeParam Row The columns as the text names them; the caller's claim, not checked. */
  query<Row = Record<string, SqlValue>>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>;
}

/** A database. `query` outside a transaction reads committed rows and writes nothing. */
export interface Driver extends Queryable {
  /**
   * Runs `run` and commits what it wrote; a rejection of `run` undoes its writes and is passed on.
   *
   * `run` awaits queries of its `tx` alone: neither another transaction of this driver (it would
   * wait for itself) nor the network. `tx` is closed when `run` settles.
   *
   * The promise settles after COMMIT. `run`'s value or error is not to be believed before: it may
   * rest on rows of a neighbour in the same group, whose COMMIT can still fail.
   *
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: BEGIN or COMMIT failed, nothing of this
   *   call is stored.
   */
  transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T>;
  /** Waits for the transactions under way, then lets go of the database. Idempotent. */
  close(): Promise<void>;
}

/** The database took nothing: the call may be made again. HTTP answers 503. */
export class StoreUnavailableError extends Error {
  readonly code = "CS_STORE_UNAVAILABLE";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
