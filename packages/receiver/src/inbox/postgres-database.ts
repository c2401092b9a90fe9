import { isError } from "../runtime.ts";
import { type ErrorEmitter, surviveLoss, type TimeLimit } from "./store-faults.ts";

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
export interface PostgresClient extends ErrorEmitter {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult>;
  /** Gives the connection back; `true` closes it instead. */
  release(destroy?: boolean): void;
}

/** The part of a `pg.Pool` that the inbox needs. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  on?(event: "error", listener: (error: Error) => void): unknown;
  on?(event: "acquire", listener: (client: ErrorEmitter) => void): unknown;
  readonly options?: { readonly max?: number | undefined };
}

/** Returns a pool as a database. A connection whose statement takes too long is closed. */
export function poolDatabase(
  pool: PostgresPool,
  limit: TimeLimit,
): PostgresDatabase<PostgresClient> {
  // Before anybody has a connection: the server may have ended it already.
  if (surviveLoss(pool, "postgresInbox"))
    pool.on?.("acquire", (connection) => void surviveLoss(connection));
  // A connection that nobody waits for any more is given back: its statement must not run late.
  const connect = (): Promise<PostgresClient> =>
    limit.run(
      () => pool.connect(),
      (late) => late.release(),
    );
  return {
    connections: pool.options?.max,
    checksCommit: true,
    async query(text, values) {
      const connection = await connect();
      let isUsable = false;
      try {
        const result = await limit.run(() => connection.query(text, values));
        isUsable = true;
        return result;
      } finally {
        connection.release(!isUsable);
      }
    },
    async transaction(work) {
      const connection = await connect();
      const { client, send, isBusy, end } = countedClient(connection);
      const run = (text: string): Promise<PostgresResult> => limit.run(() => send(text));
      let isUsable = false;
      try {
        await run("BEGIN");
        const query: PostgresQuery = (text, values) => client.query(text, values);
        const result = await work({ query, client, isBusy });
        end();
        const { command } = await run("COMMIT");
        isUsable = true;
        if (command !== "COMMIT") throw new RolledBackError();
        return result;
      } catch (error) {
        end();
        // A statement that still runs would keep the connection: closing it ends the transaction too.
        if (!isUsable && !isBusy()) isUsable = await run("ROLLBACK").then(Boolean, () => false);
        throw error;
      } finally {
        connection.release(!isUsable);
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
  const send = (...given: unknown[]): unknown => {
    const query = connection.query.bind(connection) as Callback;
    const callback: unknown = given.at(-1);
    running += 1;
    if (isFunction(callback))
      return query(...given.slice(0, -1), (...answer: unknown[]) => {
        settled();
        callback(...answer);
      });
    const result = query(...given);
    if (result instanceof Promise) result.then(settled, settled);
    // A cursor: the inbox's own statements wait for its end.
    else settled();
    return result;
  };
  const own: Readonly<Record<string | symbol, unknown>> = {
    query: (...given: unknown[]) =>
      ended ? Promise.reject(new TypeError(HANDLER_ENDED)) : send(...given),
    release: () => undefined,
  };
  const client = new Proxy(connection, {
    get(target, name) {
      const value: unknown = Object.hasOwn(own, name) ? own[name] : Reflect.get(target, name);
      return isFunction(value) ? value.bind(target) : value;
    },
  });
  return {
    client,
    // Without a callback, `pg` returns a promise of the result.
    send: send as (text: string) => Promise<PostgresResult>,
    isBusy: () => running > 0,
    end: () => {
      ended = true;
    },
  };
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
