import { StoreUnavailableError } from "../driver.ts";

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
