import { isError } from "../pipeline/outcome.ts";

/** The rows of a statement; a bigint may be text, as `pg` returns it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  readonly rowCount?: number | null;
}

/** Runs one statement with its parameters `$1`, `$2` and so on. */
export type PostgresQuery = (text: string, values?: readonly unknown[]) => Promise<PostgresResult>;

/** A database as the inbox needs it: two functions over Drizzle, Kysely, Knex or a driver of your own. */
export interface PostgresDatabase<Client = unknown> {
  /** Runs one statement on any connection. */
  readonly query: PostgresQuery;
  /**
   * Runs `work` in one transaction: commits if it fulfils, rolls back and rejects if it rejects. `client`
   * is the transaction as your library has it; handlers get it.
   */
  transaction<T>(
    work: (transaction: { readonly query: PostgresQuery; readonly client: Client }) => Promise<T>,
  ): Promise<T>;
  /** The pool's size, if it is known: one connection less is how many handlers run at once. */
  readonly connections?: number | undefined;
}

/** The part of a `pg` connection that the inbox needs. */
export interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  /** Gives the connection back; `true` closes it instead. */
  release(destroy?: boolean): void;
  on?(event: "error", listener: (error: Error) => void): unknown;
  removeListener?(event: "error", listener: (error: Error) => void): unknown;
}

/** The part of a `pg.Pool` that the inbox needs. */
export interface PostgresPool {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  connect(): Promise<PostgresClient>;
  readonly options?: { readonly max?: number | undefined };
}

/** Returns a pool as a database. */
export function poolDatabase(pool: PostgresPool): PostgresDatabase<PostgresClient> {
  return {
    query: (text, values) => pool.query(text, values),
    connections: pool.options?.max,
    async transaction(work) {
      const client = await pool.connect();
      // A connection that is lost while it is idle emits `error`, which would end the process.
      client.on?.("error", ignore);
      let running = 0;
      let usable = false;
      const query: PostgresQuery = async (text, values) => {
        running += 1;
        try {
          return await client.query(text, values);
        } finally {
          running -= 1;
        }
      };
      try {
        await client.query("BEGIN");
        const result = await work({ query, client });
        await client.query("COMMIT");
        usable = true;
        return result;
      } catch (error) {
        // A statement that still runs would keep the connection: closing it ends the transaction too.
        if (running === 0) usable = await client.query("ROLLBACK").then(yes, no);
        throw error;
      } finally {
        client.removeListener?.("error", ignore);
        client.release(!usable);
      }
    },
  };
}

const ignore = (): void => undefined;
const yes = (): boolean => true;
const no = (): boolean => false;

/**
 * True if the server answered that it did nothing. Without an answer, or when the connection or the
 * server ends (classes 08 and 57), the result is unknown.
 */
export function isRefusal(error: unknown): boolean {
  if (!isError(error)) return false;
  // Node's own codes, such as EPIPE, come without the server's severity. Drizzle wraps the error.
  if (!("code" in error && "severity" in error)) return isRefusal(error.cause);
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|57)/.test(code);
}
