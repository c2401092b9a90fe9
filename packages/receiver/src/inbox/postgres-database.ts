import { isError } from "../pipeline/outcome.ts";

/** The rows of a statement; a bigint may be text, as `pg` returns it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  readonly rowCount?: number | null;
  /** The statement's kind as PostgreSQL names it in its answer. Needed of a `pg.Pool`. */
  readonly command?: string;
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
  transaction<T>(work: (transaction: OpenTransaction<Client>) => Promise<T>): Promise<T>;
  /** True if `transaction` rejects when PostgreSQL answers COMMIT with `ROLLBACK`. Otherwise the inbox reads the event again. */
  readonly checksCommit?: boolean;
  /** The pool's size, if it is known: one connection less is how many handlers run at once. */
  readonly connections?: number | undefined;
}

/** A transaction that the inbox has begun. */
export interface OpenTransaction<Client> {
  readonly query: PostgresQuery;
  readonly client: Client;
  /** True while a statement runs, if it is known. */
  readonly isBusy?: () => boolean;
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
    checksCommit: true,
    async transaction(work) {
      const connection = await pool.connect();
      // A connection that is lost while it is idle emits `error`, which would end the process.
      connection.on?.("error", ignore);
      const { client, isBusy, end } = countedClient(connection);
      let usable = false;
      try {
        await connection.query("BEGIN");
        const query: PostgresQuery = (text, values) => client.query(text, values);
        const result = await work({ query, client, isBusy });
        end();
        const { command } = await connection.query("COMMIT");
        usable = true;
        if (command !== "COMMIT") throw new RolledBackError();
        return result;
      } catch (error) {
        end();
        // A statement that still runs would keep the connection: closing it ends the transaction too.
        if (!usable && !isBusy()) usable = await connection.query("ROLLBACK").then(yes, no);
        throw error;
      } finally {
        connection.removeListener?.("error", ignore);
        connection.release(!usable);
      }
    },
  };
}

/** A connection whose statements are counted until `end`, and refused from then on; it cannot be released. */
function countedClient(connection: PostgresClient) {
  let running = 0;
  let ended = false;
  const settled = (): void => {
    running -= 1;
  };
  // The arguments of `pg`'s `query`: text or an object, then values, then a callback or none.
  const query = (...given: unknown[]): unknown => {
    if (ended) return Promise.reject(new TypeError(HANDLER_ENDED));
    const send = connection.query.bind(connection) as Callback;
    const callback: unknown = given.at(-1);
    running += 1;
    if (isFunction(callback))
      return send(...given.slice(0, -1), (...answer: unknown[]) => {
        settled();
        callback(...answer);
      });
    const result = send(...given);
    if (result instanceof Promise) result.then(settled, settled);
    // A cursor: the inbox's own statements wait for its end.
    else settled();
    return result;
  };
  const own = { query, release: ignore };
  const client = new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
      return isFunction(value) ? value.bind(target) : value;
    },
  });
  const end = (): void => {
    ended = true;
  };
  return { client, isBusy: () => running > 0, end };
}

type Callback = (...values: unknown[]) => unknown;
const isFunction = (value: unknown): value is Callback => typeof value === "function";

export const HANDLER_ENDED = "context.transaction: the handler has ended; await each query";

/** PostgreSQL has rolled a transaction back without an error of COMMIT. */
export class RolledBackError extends Error {
  constructor(options?: ErrorOptions) {
    super(
      "PostgreSQL rolled the transaction back, because one of its statements failed: await each " +
        "statement of the handler, and let its error reach the receiver",
      options,
    );
  }
}

const ignore = (): void => undefined;
const yes = (): boolean => true;
const no = (): boolean => false;

/** The server's code for a refused statement. Without an answer the result is unknown. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!isError(error)) return undefined;
  // Node's own codes, such as EPIPE, come without the server's severity. Drizzle wraps the error.
  if (!("code" in error && "severity" in error)) return sqlStateOf(error.cause);
  const { code } = error;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * True if the server answered that it did nothing. When the connection or the server ends (classes 08
 * and 57), the result is unknown.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof RolledBackError) return true;
  const code = sqlStateOf(error);
  return code !== undefined && !/^(?:08|57)/.test(code);
}
