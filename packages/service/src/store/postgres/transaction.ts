import { setTimeout } from "node:timers/promises";
import { textOf, type Queryable, type Sql, type SqlValue } from "../driver.ts";
import {
  failureOf,
  undone,
  unavailable,
  type Tried,
  type PostgresClient,
  type PostgresStatement,
} from "./pool.ts";

/** Any number, the same in every version. */
const EXCLUSIVE_LOCK = 4_070_715_221;
/** Milliseconds between two requests for it, and after which a process that waits says so. */
const LOCK_MS = 100;
const SAY_MS = 1000;

/** The beginning of a transaction. */
export interface Begin {
  readonly text: string;
  /** True if its statements have no time limit; BEGIN has, and so has each request for the lock. */
  readonly isPatient: boolean;
}

const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
const ID = "SELECT pg_current_xact_id()::text AS id, pg_postmaster_start_time()::text AS server";
export const shared: Begin = { text: `${BEGIN}; ${ID}`, isPatient: false };
/** COMMIT does not wait for the flush to disk. */
export const unflushed: Begin = {
  text: `${BEGIN}; SET LOCAL synchronous_commit = off; ${ID}`,
  isPatient: false,
};
/** Waits for other exclusive transactions of all processes. */
export const exclusive: Begin = {
  text: `${BEGIN}; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; ${ID}`,
  isPatient: true,
};

/** A transaction's number and the start time of the server process that assigned it. */
export interface TransactionId {
  readonly id: string;
  readonly server: string;
}

/** The connection ended between COMMIT and its answer. */
export interface Unanswered<T> {
  readonly kind: "unanswered";
  readonly id: TransactionId;
  readonly value: T;
  readonly cause: unknown;
}

/**
 * Tries a transaction once; never rejects. The first statement is sent without waiting for the answer to
 * BEGIN. If BEGIN fails, the statement runs in a read-only session or an aborted transaction: it writes
 * nothing, and its result is ignored.
 */
export async function tryTransaction<T>(
  client: PostgresClient,
  names: PreparedNames,
  { begin, run }: { readonly begin: Begin; readonly run: (tx: Queryable) => Promise<T> },
): Promise<Tried<T> | Unanswered<T>> {
  const beginning = beginOn(client, begin);
  if (begin.isPatient) {
    const begun = await beginning;
    const failure = "error" in begun ? begun : await takeLock(client);
    if (failure !== undefined) return notBegun(client, failure.error);
  }
  const tx = new Transaction(client, names, begin);
  const ran = await runIn(tx, run);
  const begun = await beginning;
  if ("error" in begun) return notBegun(client, begun.error);
  return "error" in ran
    ? rollback(client, tx, ran.error)
    : commit(client, { id: begun.id, value: ran.value });
}

type Begun = { readonly id: TransactionId } | { readonly error: unknown };

/** Never rejects: it is awaited only after `run`. */
async function beginOn(client: PostgresClient, begin: Begin): Promise<Begun> {
  try {
    const { rows } = await client.query({ text: begin.text });
    // The cast: the two columns of `ID`.
    return { id: rows[0] as TransactionId };
  } catch (error) {
    return { error };
  }
}

/**
 * Waits for the lock of exclusive transactions, as long as another one takes. It asks again and again: a server that
 * hangs is noticed, and does not look like one that lets it wait.
 *
 * @returns The failure; `undefined` once the lock is taken.
 */
async function takeLock(client: PostgresClient): Promise<{ readonly error: unknown } | undefined> {
  const text = `SELECT pg_try_advisory_xact_lock(${EXCLUSIVE_LOCK}) AS taken`;
  try {
    for (let asked = 1; ; asked += 1) {
      const { rows } = await client.query({ text });
      // The cast: the column of the statement.
      if ((rows[0] as { readonly taken: boolean }).taken) return undefined;
      if (asked * LOCK_MS === SAY_MS)
        process.emitWarning(
          "another process is migrating the database: waiting until it has ended",
        );
      await setTimeout(LOCK_MS);
    }
  } catch (error) {
    return { error };
  }
}

async function runIn<T>(
  tx: Transaction,
  run: (tx: Queryable) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    const value = await run(tx);
    return tx.failure ?? { value };
  } catch (error) {
    return { error };
  } finally {
    tx.close();
  }
}

async function notBegun(client: PostgresClient, error: unknown): Promise<Tried<never>> {
  const tried = undone(error);
  // BEGIN may have succeeded and a statement sent with it failed.
  const isLost = tried.isLost || !(await rollsBack(client));
  return tried.kind === "again"
    ? { ...tried, isLost }
    : { ...tried, isLost, error: unavailable(error) };
}

/** @returns False if the connection must be closed to undo the transaction. */
async function rollsBack(client: PostgresClient): Promise<boolean> {
  try {
    await client.query({ text: "ROLLBACK" });
    return true;
  } catch {
    return false;
  }
}

/** @param error Thrown by `run`; the error of the first failed statement is more precise. */
async function rollback(
  client: PostgresClient,
  { failure }: Transaction,
  error: unknown,
): Promise<Tried<never>> {
  const tried = failure && undone(failure.error);
  if (tried?.isLost === true) return tried;
  const isLost = !(await rollsBack(client));
  // For a fault of the statement itself, the error of `run` is reported.
  if (failure === undefined || failureOf(failure.error) === "statement") {
    return { kind: "error", error, isLost };
  }
  return { ...undone(failure.error), isLost };
}

async function commit<T>(
  client: PostgresClient,
  { id, value }: { readonly id: TransactionId; readonly value: T },
): Promise<Tried<T> | Unanswered<T>> {
  try {
    const { command } = await client.query({ text: "COMMIT" });
    if (command === "COMMIT") return { kind: "value", value, isLost: false };
    // The server answers ROLLBACK: a statement failed that was not awaited.
    const error = new TypeError("a statement failed unseen: await every query of a transaction");
    return { kind: "error", error, isLost: false };
  } catch (cause) {
    const tried = undone(cause);
    if (tried.isLost) return { kind: "unanswered", id, value, cause };
    return tried.kind === "again" ? tried : { ...tried, error: unavailable(cause) };
  }
}

/** A connection in use by one call. */
class Transaction implements Queryable {
  readonly #client: PostgresClient;
  readonly #names: PreparedNames;
  readonly #isPatient: boolean;
  #open = true;
  /** The first failed statement; the server refuses all later ones. */
  failure: { readonly error: unknown } | undefined;

  constructor(client: PostgresClient, names: PreparedNames, { isPatient }: Begin) {
    this.#client = client;
    this.#names = names;
    this.#isPatient = isPatient;
  }

  async query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    // The connection may be in use by another call.
    if (!this.#open) throw new TypeError("the transaction is over: await every query inside it");
    try {
      const { rows } = await this.#client.query({
        ...this.#names.named(textOf(sql, "postgres"), params),
        isPatient: this.#isPatient,
      });
      return rows as Row[];
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  close(): void {
    this.#open = false;
  }
}

/** Statements kept prepared on a connection; those with lists of values have many lengths. */
const MAX_PREPARED = 256;

/** Names statements, so that the server parses and plans each once. */
export class PreparedNames {
  readonly #names = new Map<string, string>();

  named(text: string, params: readonly SqlValue[]): PostgresStatement {
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
