import pg from "pg";
import {
  StoreUnavailableError,
  textOf,
  Transaction,
  type Queryable,
  type SqlValue,
} from "../driver.ts";

export const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
/** COMMIT does not wait for the flush to disk. */
export const BEGIN_UNFLUSHED: string = `${BEGIN}; SET LOCAL synchronous_commit = off`;

/**
 * Tries a transaction once; never rejects. The first statement is sent without waiting for the answer to BEGIN: if that
 * fails, the session is read-only and nothing is written.
 */
export async function tryTransaction<T>(
  client: pg.ClientBase,
  names: PreparedNames,
  { begin, run }: { readonly begin: string; readonly run: (tx: Queryable) => Promise<T> },
): Promise<Tried<T>> {
  const tx = new Transaction((sql, params) =>
    client.query<object>(names.named(textOf(sql, "postgres"), params)).then(
      ({ rows }) => rows,
      (cause: unknown) => {
        throw timely(cause);
      },
    ),
  );
  const begun = tx.query(begin);
  const answered = begun.catch(() => undefined);
  try {
    const value = await run(tx);
    tx.close();
    await begun;
    if (tx.failure !== undefined) throw tx.failure.error;
    return await commit(client, value);
  } catch (error) {
    tx.close();
    await answered;
    return rollback(client, tx, error);
  }
}

/** @param error Thrown by the transaction's function; a failed statement may say more. */
async function rollback(
  client: pg.ClientBase,
  { failure }: Transaction,
  error: unknown,
): Promise<Tried<never>> {
  const tried = failure && undone(failure.error);
  const isLost = tried?.isLost === true || !(await rollsBack(client));
  const isStore = tried?.kind === "again" || tried?.error instanceof StoreUnavailableError;
  // For a fault of the statement itself, the function's own error is passed on.
  return tried !== undefined && isStore ? { ...tried, isLost } : { kind: "error", error, isLost };
}

/** @returns False if the connection must be closed to undo the transaction. */
function rollsBack(client: pg.ClientBase): Promise<boolean> {
  return client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}

/** Never rejects. A COMMIT that fails has undone everything, unless its answer is lost. */
async function commit<T>(client: pg.ClientBase, value: T): Promise<Tried<T>> {
  try {
    const { command } = await client.query("COMMIT");
    if (command === "COMMIT") return { kind: "value", value };
    // The server answers ROLLBACK: a statement failed that was not awaited.
    const error = new TypeError("a statement failed unseen: await every query of a transaction");
    return { kind: "error", error, isLost: false };
  } catch (cause) {
    const tried = undone(timely(cause));
    if (!tried.isLost)
      return tried.kind === "again" ? tried : { ...tried, error: unavailable(cause) };
    const message = "the connection ended during COMMIT: the call may be stored";
    const error = new StoreUnavailableError(message, { outcome: "unknown", cause });
    return { kind: "error", error, isLost: true };
  }
}

/** Returns the error of a statement; `pg` marks its own timeout only by this message. */
export function timely(error: unknown): unknown {
  const isSilent = error instanceof Error && error.message === "Query read timeout";
  return isSilent ? new SilentServerError({ cause: error }) : error;
}

/** Statements kept prepared on a connection; those with lists of values have many lengths. */
const MAX_PREPARED = 256;

/** Names statements, so that the server parses and plans each once. */
export class PreparedNames {
  readonly #names = new Map<string, string>();

  named(text: string, params: readonly SqlValue[]): pg.QueryConfig {
    if (params.length === 0) return { text };
    const values = params.map(storable);
    let name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size >= MAX_PREPARED) return { text, values };
      name = `countersign_${this.#names.size}`;
      this.#names.set(text, name);
    }
    return { text, values, name };
  }
}

/** PostgreSQL refuses NUL in any text parameter. */
function storable(value: SqlValue): SqlValue {
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}

/** The server did not answer in time; its connection cannot be used again. */
class SilentServerError extends Error {
  constructor(options?: ErrorOptions) {
    super("the server does not answer", options);
    this.name = new.target.name;
  }
}

/** The end of one try of a call. `isLost`: its connection cannot be used again. */
export type Tried<T> =
  | { readonly kind: "value"; readonly value: T; readonly isLost?: false }
  | { readonly kind: "error"; readonly error: unknown; readonly isLost: boolean }
  /** Undone; safe to repeat. */
  | { readonly kind: "again"; readonly cause: unknown; readonly isLost: boolean };

/** Serialization failure, deadlock: the server has undone the transaction in favour of another one. */
const AGAIN = ["40001", "40P01"];
/** The server ends the connection: administrator, crash, start, idle in a transaction, idle. */
const LOST = ["57P01", "57P02", "57P03", "25P03", "57P05"];
/** Statement timeout, lock timeout, read-only database such as a standby. */
const UNAVAILABLE = ["57014", "55P03", "25006"];

/** Returns the end of a try whose statement failed (PostgreSQL, appendix A). The server has undone it. */
export function undone(error: unknown): Exclude<Tried<never>, { kind: "value" }> {
  // Not repeated: the caller has waited long enough.
  if (error instanceof SilentServerError)
    return { kind: "error", error: unavailable(error), isLost: true };
  // Thrown in this process: a parameter that cannot be bound, or a value that cannot be read.
  if (error instanceof TypeError || error instanceof RangeError)
    return { kind: "error", error, isLost: false };
  const state = sqlStateOf(error);
  if (state === undefined || state.startsWith("08") || LOST.includes(state))
    return { kind: "again", cause: error, isLost: true };
  if (AGAIN.includes(state)) return { kind: "again", cause: error, isLost: false };
  // Insufficient resources; system errors such as a disk failure.
  const isUnavailable = /^(?:53|58)/.test(state) || UNAVAILABLE.includes(state);
  return { kind: "error", error: isUnavailable ? unavailable(error) : error, isLost: false };
}

/** The server's five-character code; `undefined` if the server has not answered. */
function sqlStateOf(error: unknown): string | undefined {
  // Errors with Node's codes, such as EPIPE, have no severity.
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
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
