import { isError } from "../is-error.ts";

/** What the inbox needs of `pg`'s results. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  readonly rowCount: number | null;
}

/** What the inbox needs of a connection of `pg`. */
export interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  /** Gives the connection back; `true` closes it instead. */
  release(destroy?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
  removeListener?(event: "error", listener: (error: Error) => void): unknown;
}

/** What the inbox needs of `pg.Pool`, or of anything with its `query` and `connect`. */
export interface PostgresPool {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  connect(): Promise<PostgresClient>;
  /** The pool's size, where it tells it: `pg.Pool` does. */
  readonly options?: { readonly max?: number | undefined };
}

/** The server's code of an error, five characters; `undefined` where the server did not answer. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = isError(error) && "code" in error ? error.code : undefined;
  // Node's own codes, such as EPIPE, are told apart by the server's severity.
  return typeof code === "string" &&
    /^[0-9A-Z]{5}$/.test(code) &&
    error !== null &&
    hasSeverity(error)
    ? code
    : undefined;
}

const hasSeverity = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "severity" in error;

/** Whether the server answered that it did nothing; what is left is a lost connection, which tells nothing. */
export function isRefusal(error: unknown): boolean {
  const state = sqlStateOf(error);
  // Classes 08 and 57: the connection or the server ends.
  return state !== undefined && !state.startsWith("08") && !state.startsWith("57");
}
