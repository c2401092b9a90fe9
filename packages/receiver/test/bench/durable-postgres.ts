import { type PostgresInbox, postgresInbox } from "@countersign/receiver/postgres";
import { Pool } from "pg";
import { startPostgres } from "../inboxes/postgres-server.ts";
import type { DurableStore, Row } from "./durable-store.ts";

/**
 * A server of its own that flushes each commit, and one pool for the inbox and the loops, with a
 * connection for each attempt in flight and one beside them.
 */
export async function postgresStore(): Promise<DurableStore<PostgresInbox>> {
  const server = await startPostgres();
  const pool = new Pool({ host: "127.0.0.1", port: server.port, user: "postgres", max: 65 });
  const inbox = postgresInbox(pool);
  await inbox.migrate();
  await pool.query(
    "CREATE TABLE booked (id text NOT NULL PRIMARY KEY); CREATE TABLE inbox_booked (id text NOT NULL PRIMARY KEY);" +
      "CREATE TABLE rows (id text NOT NULL PRIMARY KEY, state text NOT NULL, body text)",
  );

  let waiting: { readonly row: Row; readonly state: string; readonly done: () => void }[] = [];
  let running = 0;
  const flush = async (): Promise<void> => {
    // Two at once: one is committed while the server reads the other.
    if (running === 2 || waiting.length === 0) return;
    const group = waiting;
    waiting = [];
    running += 1;
    await pool.query(
      "INSERT INTO rows (id, state, body) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])",
      [
        group.map(({ row }) => row.id),
        group.map(({ state }) => state),
        group.map(({ row }) => row.body),
      ],
    );
    running -= 1;
    for (const one of group) one.done();
    setImmediate(() => void flush());
  };
  const together = (row: Row, state: string): Promise<void> =>
    new Promise((done) => {
      waiting.push({ row, state, done });
      if (waiting.length === 1) setImmediate(() => void flush());
    });

  return {
    name: "PostgreSQL",
    inbox,
    insertTogether: (row) => together(row, "received"),
    async insertAlone({ id, body }) {
      await pool.query("INSERT INTO rows (id, state, body) VALUES ($1, 'received', $2)", [
        id,
        body,
      ]);
    },
    async claimAndBook({ id }) {
      await together({ id, body: "" }, "claimed");
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query("INSERT INTO booked (id) VALUES ($1)", [id]);
      await client.query("UPDATE rows SET state = 'handled', body = NULL WHERE id = $1", [id]);
      await client.query("COMMIT");
      client.release();
    },
    book: (id, transaction) => transaction.query("INSERT INTO inbox_booked (id) VALUES ($1)", [id]),
    async close() {
      await pool.end();
      server.stop();
    },
  };
}
