/** A statement's parameter. Money is bigint cents, times are milliseconds, flags are 0 or 1. */
export type SqlValue = string | number | bigint | null;

/** A statement's text: one for both databases, or one for each if they need different ones (`givenRows`). */
export type Sql = string | { readonly sqlite: string; readonly postgres: string };

/** Returns the text for a database. */
export function textOf(sql: Sql, dialect: "sqlite" | "postgres"): string {
  return typeof sql === "string" ? sql : sql[dialect];
}

/** Runs one statement, with parameters `$1`, `$2`, … Integers come back as numbers; a driver throws for one beyond 2^53 - 1. */
export interface Queryable {
  /** @typeParam Row The columns as the text names them; the caller's claim, not checked. */
  query<Row = Record<string, SqlValue>>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]>;
}

/** A database. `query` outside a transaction reads committed rows and writes nothing. */
export interface Driver extends Queryable {
  /**
   * Runs `run` and commits what it wrote. If `run` rejects, its writes are undone and the error is passed
   * on; the same if a statement fails, even if `run` handles the error.
   *
   * `run` may await only queries of its `tx`: not another transaction of this driver (it would wait for
   * itself), nor the network. It may be called again after its writes are undone, if the database ended the
   * transaction in favour of another one. Do not use its value or error before the promise resolves: it may
   * depend on rows of another call in the same group, whose COMMIT can still fail.
   *
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: BEGIN or COMMIT failed, or the database timed
   *   out or is full. Nothing of this call is stored, unless `outcome` is `"unknown"`.
   * @param how `isDurable: false`: a crash of the server may undo it after its promise has resolved. Default true.
   */
  transaction<T>(
    run: (tx: Queryable) => Promise<T>,
    how?: { readonly isDurable?: boolean },
  ): Promise<T>;
  /** True if no other process can use the database while this driver is open. */
  readonly isAlone: boolean;
  /** Tells the address of the service to whoever finds the database in use. */
  name?(address: string): void;
  /** True while the disk of the file has room for more than the calls in flight. Absent on a server. */
  hasRoom?(): boolean;
  /** Waits for running transactions, then closes the database. Idempotent. */
  close(): Promise<void>;
}

const hooks = new WeakMap<Queryable, (() => void)[]>();

/** Runs `hook` when a transaction has been committed; never if it is undone. */
export function afterCommit(tx: Queryable, hook: () => void): void {
  const waiting = hooks.get(tx);
  if (waiting === undefined) throw new TypeError("not a transaction");
  waiting.push(hook);
}

/** Runs a transaction, perhaps several times, with the hooks that it asks for. For drivers. */
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

/** The statements of one transaction, while it is open. For drivers. */
export class Transaction implements Queryable {
  readonly #run: (sql: Sql, params: readonly SqlValue[]) => Promise<unknown[]>;
  #isOpen = true;
  /** The first failed statement: nothing must be committed after it. */
  failure: { readonly error: unknown } | undefined;

  constructor(run: (sql: Sql, params: readonly SqlValue[]) => Promise<unknown[]>) {
    this.#run = run;
  }

  async query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    // The connection may be in use by another call.
    if (!this.#isOpen) throw new TypeError("the transaction is over: await every query inside it");
    try {
      // The cast: see `Queryable`.
      return (await this.#run(sql, params)) as Row[];
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  close(): void {
    this.#isOpen = false;
  }
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

/** The database cannot be used now; the call can be repeated. HTTP answers 503. */
export class StoreUnavailableError extends Error {
  readonly code = "CS_STORE_UNAVAILABLE";
  /** `"unknown"` if the connection ended during COMMIT and its result is not known: the call may be stored. */
  readonly outcome: "undone" | "unknown";
  constructor(message: string, options: ErrorOptions & { outcome?: "undone" | "unknown" } = {}) {
    const { outcome = "undone", ...rest } = options;
    super(message, rest);
    this.name = new.target.name;
    this.outcome = outcome;
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

/** Columns of the rows in one parameter, by their names in camel case, with their types. */
type Columns = Readonly<Record<string, "text" | "bigint">>;

/** Builds a statement over the rows of its parameter `$1` (see `rowsParameter`): one plan for any number of rows. */
export function givenRows(columns: Columns, write: (rows: string) => string): Exclude<Sql, string> {
  const names = Object.keys(columns);
  const select = (valueOf: (name: string) => string): string =>
    `SELECT ${names.map((name) => `${valueOf(name)} AS ${columnOf(name)}`).join(", ")}`;
  const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return {
    sqlite: write(`${select((name) => `value ->> '${name}'`)} FROM json_each($1)`),
    postgres: write(`${select((name) => `"${name}"`)}
      FROM json_to_recordset(CAST($1 AS json)) AS given (${types.join(", ")})`),
  };
}

/** Returns the parameter of `givenRows`, given columns as members. */
export function rowsParameter(
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const text = JSON.stringify(rows);
  // PostgreSQL cannot store NUL in a text.
  return text.includes(String.raw`\u0000`) ? JSON.stringify(rows, withoutNul) : text;
}

const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;

/** Columns of a row by their names in camel case: `merchantId` is `merchant_id`. Flags become 0 or 1. */
type NamedValues = Readonly<Record<string, SqlValue | boolean>>;

/**
 * Inserts a row.
 *
 * @param conflict `any`, or the columns of the key, if it may be taken: then nothing is inserted. Default: that fails.
 * @returns False if the key is taken.
 */
export async function insertRow(
  tx: Queryable,
  table: string,
  row: NamedValues,
  conflict?: "any" | `(${string})`,
): Promise<boolean> {
  const columns = Object.keys(row).map(columnOf);
  const places = columns.map((_, index) => `$${index + 1}`);
  const key = conflict === "any" ? "" : conflict;
  const rest =
    conflict === undefined ? "" : ` ON CONFLICT ${key} DO NOTHING RETURNING ${columns[0]}`;
  const inserted = await tx.query(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places.join(", ")})${rest}`,
    valuesOf(row),
  );
  return conflict === undefined || inserted.length === 1;
}

/** Changes the rows with the values of `key`. @returns False if no row has them. */
export async function updateRow(
  tx: Queryable,
  table: string,
  { key, set }: { readonly key: NamedValues; readonly set: NamedValues },
): Promise<boolean> {
  const tests = Object.keys(key).map((name, at) => `${columnOf(name)} = $${at + 1}`);
  const first = tests.length + 1;
  const changes = Object.keys(set).map((name, at) => `${columnOf(name)} = $${first + at}`);
  const changed = await tx.query(
    `UPDATE ${table} SET ${changes.join(", ")} WHERE ${tests.join(" AND ")} RETURNING 1`,
    [...valuesOf(key), ...valuesOf(set)],
  );
  return changed.length > 0;
}

const valuesOf = (row: NamedValues): SqlValue[] =>
  Object.values(row).map((value) => (typeof value === "boolean" ? Number(value) : value));

const columnOf = (member: string): string =>
  member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
