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
