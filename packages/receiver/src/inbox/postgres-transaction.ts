import type { BeginRequest, Commit, InboxTransaction } from "./transaction.ts";
import {
  HANDLER_ENDED,
  isRefusal,
  type PostgresDatabase,
  type PostgresQuery,
  type OpenTransaction,
  RolledBackError,
  sqlStateOf,
} from "./postgres-database.ts";
import type { PostgresRows } from "./postgres-rows.ts";
import { endOf } from "./rows-inbox.ts";
import type { TimeLimit } from "./store-faults.ts";

/** A handler's `context.transaction`: its writes commit with "handled", or neither does. */
export interface PostgresTransaction<Client = unknown> {
  /**
   * Runs one statement in the transaction.
   *
   * @typeParam Row The columns as the text names them; the caller's claim, not checked.
   * @throws {TypeError} the handler has ended, or the text would end the transaction or has several statements.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in pg: the caller knows its columns
  readonly query: <Row = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<{ readonly rows: Row[]; readonly rowCount?: number | null }>;
  /**
   * Begins the transaction and returns it as your library has it: a client of `pg`, or a transaction of
   * Drizzle, Kysely or Knex. Do not commit it, roll it back or keep it: the receiver ends it.
   */
  readonly client: () => Promise<Client>;
}

/** Literals, quoted names and comments, which may hold a semicolon. */
const OPAQUE =
  /\bE'(?:\\[^]|''|[^'\\])*'|'(?:''|[^'])*'|"[^"]*"|--[^\n]*|\/\*[^]*?\*\/|(?<![\w$])(\$(?:[A-Za-z_]\w*)?\$)[^]*?\1/gi;
const ENDS_TRANSACTION =
  /^[\s;]*(?:BEGIN|START|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+(?:(?:WORK|TRANSACTION)\s+)?TO\b))\b/i;

/** The reason why a handler's text is refused. */
function refusedText(text: string): string | undefined {
  const bare = text.replace(OPAQUE, " ");
  if (ENDS_TRANSACTION.test(bare)) return "the receiver ends the transaction, no statement does";
  if (/;\s*[^\s;]/.test(bare)) return "expected one statement, got several: send each by itself";
  return undefined;
}

/** Begins at the first use, on a separate connection: an event that writes nothing uses no connection. */
export function postgresTransaction<Client>(
  database: PostgresDatabase<Client>,
  rows: PostgresRows,
  { key, token, leaseMs }: BeginRequest,
  limit: TimeLimit,
): InboxTransaction<PostgresTransaction<Client>> {
  const leaseEndsAt = performance.now() + leaseMs;
  let begun: Begun<Client> | undefined;
  let open = true;
  let running = 0;

  const inTransaction = async <T>(
    use: (opened: OpenTransaction<Client>) => Promise<T> | T,
  ): Promise<T> => {
    if (!open) throw new TypeError(HANDLER_ENDED);
    running += 1;
    try {
      begun ??= begin(database, leaseEndsAt, limit);
      return await use(await begun.opened);
    } finally {
      running -= 1;
    }
  };
  const query: PostgresQuery = async (text, values) => {
    const refused = refusedText(text);
    if (refused !== undefined) throw new TypeError(`context.transaction: ${refused}`);
    return inTransaction((opened) => opened.query(text, values));
  };
  const rollback = async (): Promise<void> => {
    open = false;
    const ended = begun?.end("rollback").catch(() => undefined);
    // A statement that still runs, or a connection that the pool does not give, is not waited for.
    if (running === 0) await ended;
  };
  /** Reads the event after a COMMIT whose answer the library hides: it may have been a rollback. */
  const isRecorded = async (): Promise<boolean> => {
    if (database.checksCommit === true) return true;
    const row = await rows.read(key);
    return row?.state === "handled" && row.token === token;
  };

  return {
    get holdsConnection() {
      return begun !== undefined;
    },
    transaction: {
      // `Row` is the caller's claim.
      query: query as PostgresTransaction["query"],
      client: () => inTransaction(({ client }) => client),
    },
    rollback,
    async commit(now): Promise<Commit> {
      open = false;
      const update = endOf({ key, token, now }, { type: "succeed", token });
      if (begun === undefined)
        return { state: (await rows.update(update)) === "done" ? "committed" : "lost" };
      const unfinished = new Error("the handler ended before its queries; await each query");
      try {
        if (running > 0) throw unfinished;
        const { query: run, isBusy } = await begun.opened;
        if (isBusy?.() === true) throw unfinished;
        const { rows: written } = await limit.run(() => rows.updateIn(run, update));
        const ended = await begun.end(written.length === 1 ? "commit" : "rollback");
        if (ended === "rollback") return { state: "lost" };
        if (await isRecorded()) return { state: "committed" };
        throw new RolledBackError();
      } catch (error) {
        await rollback();
        // in_failed_sql_transaction: the handler has ignored the error of a statement.
        if (sqlStateOf(error) === "25P02")
          return { state: "failed", error: new RolledBackError({ cause: error }) };
        if (error === unfinished || isRefusal(error)) return { state: "failed", error };
        throw error;
      }
    },
  };
}

interface Begun<Client> {
  readonly opened: Promise<OpenTransaction<Client>>;
  /** Ends the transaction, if it has not ended, and returns how. Rejects if a COMMIT fails. */
  end(how: "commit" | "rollback"): Promise<"commit" | "rollback">;
}

/**
 * Begins a transaction that ends with the lease: the server then ends its statements, or the wait
 * between two of them, and this process gives the connection back. Otherwise a handler that never ends
 * would keep its locks and its connection.
 */
function begin<Client>(
  database: PostgresDatabase<Client>,
  leaseEndsAt: number,
  limit: TimeLimit,
): Begun<Client> {
  const leaseMs = Math.max(1, Math.ceil(leaseEndsAt - performance.now()));
  const rolledBack = new Error("rolled back");
  let end: (how: "commit" | "rollback") => void = () => undefined;
  const ending = new Promise<"commit" | "rollback">((resolve) => {
    end = resolve;
  });
  const timer = setTimeout(() => end("rollback"), leaseMs).unref();
  let ended: Promise<"commit" | "rollback"> = ending;
  const opened = new Promise<OpenTransaction<Client>>((resolve, reject) => {
    const work = async (transaction: OpenTransaction<Client>): Promise<"commit"> => {
      const settings =
        "SELECT set_config('statement_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $1, true)";
      await limit.run(() => transaction.query(settings, [String(leaseMs)]));
      resolve(transaction);
      if ((await ending) === "rollback") throw rolledBack;
      return "commit";
    };
    ended = database
      .transaction(work)
      .catch((error: unknown) => {
        reject(error);
        if (error === rolledBack) return "rollback" as const;
        throw error;
      })
      .finally(() => clearTimeout(timer));
  });
  const openedInTime = limit.run(() => opened);
  // Both are awaited by whoever uses the transaction, or by nobody.
  openedInTime.catch(() => undefined);
  ended.catch(() => undefined);
  return {
    opened: openedInTime,
    end(how) {
      end(how);
      return limit.run(() => ended);
    },
  };
}
