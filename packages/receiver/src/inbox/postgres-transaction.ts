import { transition } from "./event-state.ts";
import type { BeginRequest, Commit, InboxTransaction } from "./inbox.ts";
import { isRefusal, type PostgresClient, type PostgresPool } from "./postgres-client.ts";
import type { PostgresRows } from "./postgres-rows.ts";

/** What a handler gets as `context.transaction`: its writes commit with "handled", or neither does. */
export interface PostgresTransaction {
  /**
   * Runs one statement on the transaction's own connection.
   *
   * @typeParam Row The columns as the text names them; the caller's claim, not checked.
   * @throws {TypeError} the handler has settled, or the statement would end the transaction.
   */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in pg: the caller knows its columns
  readonly query: <Row = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
}

const ENDS_TRANSACTION =
  /^\s*(?:BEGIN|START|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+(?:(?:WORK|TRANSACTION)\s+)?TO\b))\b/i;

/** Begins at the first query, on a connection of its own: an event that writes nothing takes none. */
export function postgresTransaction(
  pool: PostgresPool,
  rows: PostgresRows,
  { key, token, leaseMs }: BeginRequest,
): InboxTransaction<PostgresTransaction> {
  const claimed = { at: "claimed", token, attempts: 0, leaseEndsAt: 0 } as const;
  const handled = transition(claimed, { type: "succeed", token }) ?? claimed;
  let connection: Promise<PostgresClient> | undefined;
  let open = true;
  let running = 0;

  const query = async (text: string, values?: readonly unknown[]): Promise<unknown> => {
    if (!open)
      throw new TypeError("context.transaction: the handler has settled; await each query");
    if (ENDS_TRANSACTION.test(text))
      throw new TypeError(
        "context.transaction: the receiver ends the transaction, no statement does",
      );
    running += 1;
    try {
      connection ??= begin(pool, leaseMs);
      return await (await connection).query(text, values);
    } finally {
      running -= 1;
    }
  };
  const rollback = async (): Promise<void> => {
    open = false;
    if (connection === undefined) return;
    // A statement that still runs would keep the connection: closing it ends the transaction too.
    const hangs = running > 0;
    const client = await connection.catch(() => undefined);
    if (client === undefined) return;
    const undone =
      !hangs &&
      (await client
        .query("ROLLBACK")
        .then(() => true)
        .catch(() => false));
    giveBack(client, !undone);
  };

  return {
    // `Row` is the caller's claim.
    transaction: { query: query as PostgresTransaction["query"] },
    rollback: () => {
      const undone = rollback();
      // A connection that the pool does not give is not waited for.
      return running > 0 ? Promise.resolve() : undone;
    },
    async commit(now): Promise<Commit> {
      if (connection === undefined) {
        open = false;
        const written = await rows.update(key, claimed, handled, now);
        return { state: written === "done" ? "committed" : "lost" };
      }
      if (running > 0) {
        const error = new Error("the handler has settled before its queries; await each query");
        void rollback();
        return { state: "failed", error };
      }
      open = false;
      try {
        const client = await connection;
        if ((await rows.updateIn(client, key, claimed, handled, now)) !== "done") {
          await rollback();
          return { state: "lost" };
        }
        await client.query("COMMIT");
        giveBack(client, false);
        return { state: "committed" };
      } catch (error) {
        await rollback();
        if (isRefusal(error)) return { state: "failed", error };
        throw error;
      }
    },
  };
}

/** A connection that is lost while it is idle emits `error`, which would end the process unheard. */
const unheard = (): void => undefined;

/** The receiver's own deadline comes first: the outcome is then its timeout, and not a failed query. */
const SERVER_GRACE_MS = 500;

/**
 * Times that hold within the transaction alone. Without them the server would finish a statement, and
 * keep its locks, after the handler was given up or its process ended.
 */
async function begin(pool: PostgresPool, leaseMs: number): Promise<PostgresClient> {
  const ms = String(leaseMs + SERVER_GRACE_MS);
  const client = await pool.connect();
  client.on?.("error", unheard);
  try {
    await client.query(
      `BEGIN; SET LOCAL statement_timeout = ${ms}; SET LOCAL idle_in_transaction_session_timeout = ${ms}`,
    );
    return client;
  } catch (error) {
    giveBack(client, true);
    throw error;
  }
}

function giveBack(client: PostgresClient, destroy: boolean): void {
  client.removeListener?.("error", unheard);
  client.release(destroy);
}
