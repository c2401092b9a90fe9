import { type StoreFault, faultOf } from "./fault.ts";

/** A statement's parameter. Money is bigint cents, times are milliseconds, flags are 0 or 1. */
export type SqlValue = string | number | bigint | null;

/** A statement's text: one for both databases, or one for each if they need different ones (`givenRows`). */
export type Sql = string | { readonly sqlite: string; readonly postgres: string };

/** Returns the text for a database. */
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

export interface TransactionOptions {
  /**
   * True if the promise waits until the writes are flushed to disk. If false, a crash of the database server
   * may undo the whole transaction after its promise has resolved, until a later durable transaction has
   * resolved. Default true; on SQLite always true.
   */
  readonly isDurable?: boolean;
}

/**
 * A database. `query` outside a transaction reads committed rows and writes nothing; it throws
 * `StoreUnavailableError` as `transaction` does.
 */
export interface Driver extends Queryable {
  /**
   * Runs `run` and commits what it wrote. If `run` rejects, its writes are undone and the error is passed
   * on; the same if a statement fails, even if `run` handles the error.
   *
   * `run` may await only queries of its `tx`: not another transaction of this driver (it would wait for
   * itself), nor the network. `tx` is closed when `run` ends. `run` may be called again after its writes are
   * undone, if the database ended the transaction in favour of another one: each call must begin anew.
   *
   * The promise resolves after COMMIT. Do not use `run`'s value or error before: it may depend on rows of
   * another call in the same group, whose COMMIT can still fail.
   *
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: BEGIN or COMMIT failed, or the database timed
   *   out or is full. Nothing of this call is stored, unless `outcome` is `"unknown"`.
   */
  transaction<T>(run: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Runs a transaction whose statements have no time limit, while no other process runs an exclusive one: for
   * changes of the tables themselves.
   *
   * @throws {StoreUnavailableError} As `transaction`.
   */
  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T>;
  /** True if no other process can use the database while this driver is open. */
  readonly isAlone: boolean;
  /** Tells the address of the service to whoever finds the database in use. */
  name?(address: string): void;
  /** Reads facts about the file or the pool. On SQLite it also empties a WAL that has grown large. */
  vitals?(): Vitals;
  /** Waits for running transactions, then closes the database. Idempotent. */
  close(): Promise<void>;
}

/** Facts about a database that are not in its tables; each is absent if the driver does not know it. */
export interface Vitals {
  /** Free bytes of the disk that holds the file. */
  readonly freeBytes?: number;
  /** Size of the write-ahead log. */
  readonly walBytes?: number;
  /** Calls that wait for a connection. */
  readonly waitingCalls?: number;
}

const hooks = new WeakMap<Queryable, (() => void)[]>();

/** Runs `hook` when a transaction has been committed; never if it is undone. */
export function afterCommit(tx: Queryable, hook: () => void): void {
  const waiting = hooks.get(tx);
  if (waiting === undefined) throw new TypeError("not a transaction");
  waiting.push(hook);
}

/**
 * Runs a transaction with the hooks that it asks for. For drivers.
 *
 * @param transact Calls `run` with its transaction, perhaps several times, and resolves after COMMIT.
 */
export async function withHooks<T>(
  run: (tx: Queryable) => Promise<T>,
  transact: (run: (tx: Queryable) => Promise<T>) => Promise<T>,
): Promise<T> {
  let waiting: (() => void)[] = [];
  const value = await transact((tx) => {
    waiting = [];
    hooks.set(tx, waiting);
    return run(tx);
  });
  for (const hook of waiting) hook();
  return value;
}

/** Another process uses the SQLite file. */
export class StoreInUseError extends Error {
  readonly code = "CS_STORE_IN_USE";
  /** @param owner Such as `process 1234 at http://127.0.0.1:8080`. */
  constructor(file: string, owner: string) {
    super(`the database ${file} is in use by ${owner}: stop it first`);
    this.name = new.target.name;
  }
}

interface StoreUnavailableOptions extends ErrorOptions {
  readonly outcome?: "undone" | "unknown";
  readonly fault?: StoreFault;
}

/** The database cannot be used now; the call can be repeated. HTTP answers 503. */
export class StoreUnavailableError extends Error {
  readonly code = "CS_STORE_UNAVAILABLE";
  /** `"unknown"` if the connection ended during COMMIT and its result is not known: the call may be stored. */
  readonly outcome: "undone" | "unknown";
  /** Default: derived from `cause`. */
  readonly fault: StoreFault;
  constructor(message: string, options: StoreUnavailableOptions = {}) {
    const { outcome = "undone", fault = faultOf(options.cause), ...rest } = options;
    super(message, rest);
    this.name = new.target.name;
    this.outcome = outcome;
    this.fault = fault;
  }
}

/** Undoes a transaction and returns a value nevertheless: thrown inside it, caught by `orUndone`. */
export class Undo<T> extends Error {
  readonly outcome: T;
  constructor(outcome: T) {
    super("the transaction is undone");
    this.name = new.target.name;
    this.outcome = outcome;
  }
}

/** Returns a transaction's value, or the value of the `Undo` thrown in it. */
export async function orUndone<T>(transaction: Promise<T>): Promise<T> {
  try {
    return await transaction;
  } catch (error) {
    // The cast: a transaction throws only an `Undo` of its outcome type.
    if (error instanceof Undo) return (error as Undo<T>).outcome;
    throw error;
  }
}

/** Columns of the rows in one parameter, with their types. */
export type Columns = Readonly<Record<string, "text" | "bigint">>;

/**
 * Builds a statement over the rows that its parameter `$1` holds (see `rowsParameter`): one text and one
 * plan for any number of rows.
 *
 * @param write Returns the text, given the query of the rows.
 */
export function givenRows(columns: Columns, write: (rows: string) => string): Exclude<Sql, string> {
  const names = Object.keys(columns);
  const members = names.map((name) => `value ->> '${name}' AS ${name}`);
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return {
    sqlite: write(`SELECT ${members.join(", ")} FROM json_each($1)`),
    postgres: write(`SELECT ${names.join(", ")}
      FROM json_to_recordset(CAST($1 AS json)) AS given (${types.join(", ")})`),
  };
}

/** Returns the parameter of `givenRows`. @param rows Columns as members; a missing member is NULL. */
export function rowsParameter(
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const text = JSON.stringify(rows);
  // PostgreSQL cannot store NUL in a text.
  return text.includes(String.raw`\u0000`) ? JSON.stringify(rows, withoutNul) : text;
}

const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;

/**
 * Inserts a row whose columns are the members' names in snake case: `merchantId` is `merchant_id`. Flags become 0 or 1.
 *
 * @param conflict `any`, or the columns of the key, if it may be taken: then nothing is inserted. Default: that fails.
 * @returns False if the key is taken.
 */
export async function insertRow(
  tx: Queryable,
  table: string,
  row: Readonly<Record<string, SqlValue | boolean>>,
  conflict?: "any" | `(${string})`,
): Promise<boolean> {
  const columns = Object.keys(row).map(columnOf);
  const places = columns.map((_, index) => `$${index + 1}`);
  const key = conflict === "any" ? "" : conflict;
  const rest =
    conflict === undefined ? "" : ` ON CONFLICT ${key} DO NOTHING RETURNING ${columns[0]}`;
  const inserted = await tx.query(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places.join(", ")})${rest}`,
    Object.values(row).map((value) => (typeof value === "boolean" ? Number(value) : value)),
  );
  return conflict === undefined || inserted.length === 1;
}

const columnOf = (member: string): string =>
  member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
