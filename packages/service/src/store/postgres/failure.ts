import { StoreUnavailableError } from "../driver.ts";

/**
 * What a failed statement says of its transaction.
 *
 * - `"lost"`: the connection has ended, or tells nothing any more.
 * - `"silent"`: the server has not answered in time; the connection is of no use.
 * - `"again"`: the server has undone the transaction for the sake of another one.
 * - `"unavailable"`: the server has no time, no room, or is going down.
 * - `"statement"`: the statement itself is at fault.
 */
export type PostgresFailure = "lost" | "silent" | "again" | "unavailable" | "statement";

/** The connection's answer did not come in time. */
export class SilentServerError extends Error {
  constructor(options?: ErrorOptions) {
    super("the server does not answer", options);
    this.name = new.target.name;
  }
}

/** Serialization failure, deadlock. */
const AGAIN = ["40001", "40P01"];
/** The server ends the connection: administrator, crash, start, idle in a transaction, idle. */
const LOST = ["57P01", "57P02", "57P03", "25P03", "57P05"];
/** The statement or lock took too long, and the database that only reads, as a standby does. */
const UNAVAILABLE = ["57014", "55P03", "25006"];

/** @see PostgreSQL, appendix A, "PostgreSQL Error Codes" */
export function failureOf(error: unknown): PostgresFailure {
  if (error instanceof SilentServerError) return "silent";
  // Of this process: a value that cannot be bound, or a row's that cannot be read.
  if (error instanceof TypeError || error instanceof RangeError) return "statement";
  const state = sqlStateOf(error);
  if (state === undefined || state.startsWith("08") || LOST.includes(state)) return "lost";
  if (AGAIN.includes(state)) return "again";
  // Insufficient resources; errors of the system, as of its disk.
  if (/^(?:53|58)/.test(state) || UNAVAILABLE.includes(state)) return "unavailable";
  return "statement";
}

/** The server's code, five characters; `undefined` where the server has not answered. */
function sqlStateOf(error: unknown): string | undefined {
  // Node's own codes, such as EPIPE, come without the server's severity.
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What became of one try of a call. `isLost`: its connection is of no use any more. */
export type Tried<T> = { readonly isLost: boolean } & (
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "error"; readonly error: unknown }
  /** Undone, and safe to try again. */
  | { readonly kind: "again"; readonly cause: unknown }
);

/** A try whose statement failed with `error`, and of which the server keeps nothing. */
export function undone(error: unknown): Exclude<Tried<never>, { kind: "value" }> {
  const failure = failureOf(error);
  switch (failure) {
    case "lost":
      return { kind: "again", cause: error, isLost: true };
    case "silent":
      // Not again: the caller has waited long enough.
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

/** An error of several addresses has no message of its own. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== "") return error.message;
  return "code" in error ? String(error.code) : error.name;
}
