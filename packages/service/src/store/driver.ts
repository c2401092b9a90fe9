/** What a statement may bind. Money is bigint cents, times are milliseconds, flags are 0 or 1. */
export type SqlValue = string | number | bigint | null;

/**
 * A statement's text: one for both databases, or one for each where no text says it to both, as for rows
 * in a parameter (`givenRows`).
 */
export type Sql = string | { readonly sqlite: string; readonly postgres: string };

/** What a database of this dialect is told. */
export function textOf(sql: Sql, dialect: "sqlite" | "postgres"): string {
  return typeof sql === "string" ? sql : sql[dialect];
}

/**
 * Runs one statement. Parameters are `$1`, `$2`, … in the text, which is the same for SQLite and
 * PostgreSQL. Integers come back as numbers: every integer column stays within ±(2^53 - 1), and a
 * driver throws for one that does not.
 */
export interface Queryable {
  /** @typeParam Row The columns as the text names them; the caller's claim, not checked. */
  query<Row = Record<string, SqlValue>>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]>;
}

/** A transaction that is one call. What it is given and what it answers are plain values: they can be copied. */
export interface Operation<Input, Output> extends TransactionOptions {
  /** Which one it is, where it is carried out elsewhere. */
  readonly name: string;
  readonly run: (tx: Queryable, input: Input) => Promise<Output>;
}

export interface TransactionOptions {
  /**
   * Whether the promise waits until what was written has been flushed to disk. Where not, a crash of the
   * database's server may take the transaction back, as a whole, after its promise has resolved, until a later
   * durable transaction has been answered. Default true; on SQLite all wait.
   */
  readonly isDurable?: boolean;
}

/**
 * A database. `query` outside a transaction reads committed rows and writes nothing; it throws
 * `StoreUnavailableError` as `transaction` does.
 */
export interface Driver extends Queryable {
  /**
   * Runs `run` and commits what it wrote; a rejection of `run` undoes its writes and is passed on. So
   * does a statement that fails, also where `run` goes on after it.
   *
   * `run` awaits queries of its `tx` alone: neither another transaction of this driver (it would
   * wait for itself) nor the network. `tx` is closed when `run` settles. `run` may be called again
   * after its writes are undone, where the database ended the transaction for the sake of another
   * one: what it changes outside of `tx` it changes from the beginning.
   *
   * The promise settles after COMMIT. `run`'s value or error is not to be believed before: it may
   * rest on rows of a neighbour in the same group, whose COMMIT can still fail.
   *
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: BEGIN or COMMIT failed, or the database
   *   has no time or room. Nothing of this call is stored, unless `outcome` is `"unknown"`.
   */
  transaction<T>(run: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * A transaction that waits until no other process has one of this kind, and may take its time: for
   * changes of the tables themselves.
   *
   * @throws {StoreUnavailableError} As `transaction`.
   */
  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T>;
  /**
   * Carries an operation out in a thread beside this one, which goes on meanwhile; a driver without one has
   * no such method. See `perform`.
   *
   * @throws {StoreUnavailableError} As `transaction`; or the thread has ended, `outcome` `"unknown"`.
   */
  performAside?<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
  /** Waits for the transactions under way, then lets go of the database. Idempotent. */
  close(): Promise<void>;
}

/** Carries an operation out in a transaction of its own: beside this thread where the driver can. */
export function perform<Input, Output>(
  driver: Driver,
  operation: Operation<Input, Output>,
  input: Input,
): Promise<Output> {
  return driver.performAside === undefined
    ? driver.transaction((tx) => operation.run(tx, input), operation)
    : driver.performAside(operation, input);
}

/** The database took nothing: the call may be made again. HTTP answers 503. */
export class StoreUnavailableError extends Error {
  readonly code = "CS_STORE_UNAVAILABLE";
  /**
   * `"unknown"` where the connection ended during COMMIT and the server could not be asked what became
   * of it: the call may be stored.
   */
  readonly outcome: "undone" | "unknown";
  constructor(
    message: string,
    { outcome = "undone", ...options }: ErrorOptions & { outcome?: "undone" | "unknown" } = {},
  ) {
    super(message, options);
    this.name = new.target.name;
    this.outcome = outcome;
  }
}

/**
 * Takes back what a transaction wrote and hands its caller a value all the same: thrown inside the
 * transaction, caught by `orUndone` around it.
 */
export class Undo<T> extends Error {
  readonly outcome: T;
  constructor(outcome: T) {
    super("the transaction is undone");
    this.name = new.target.name;
    this.outcome = outcome;
  }
}

/** A transaction's value, or the one that it was undone with. */
export async function orUndone<T>(transaction: Promise<T>): Promise<T> {
  try {
    return await transaction;
  } catch (error) {
    // A transaction throws the `Undo` of its own outcome type alone.
    if (error instanceof Undo) return (error as Undo<T>).outcome;
    throw error;
  }
}
