import pg from "pg";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describePostgres } from "../../../receiver/test/inboxes/describe-postgres.ts";
import { postgresDriver, type PostgresOptions } from "../../src/store/postgres/driver.ts";
import { cuttingProxy, type Fault } from "./cutting-proxy.ts";
import { write } from "./driver-suite.ts";

/** As it is sent: a text ends with a zero, and BEGIN names READ COMMITTED. */
const COMMIT = "COMMIT\0";
const unavailable = { code: "CS_STORE_UNAVAILABLE", outcome: "undone" };

describePostgres("the PostgreSQL driver", (server) => {
  let admin: pg.Pool;
  let database: string;
  beforeAll(async () => {
    database = await server().create();
    // One connection, on which a transaction can go on.
    admin = new pg.Pool({ connectionString: server().urlOf(database), max: 1 });
  });
  afterAll(() => admin.end());

  /** A driver with an empty table `notes (id, text)`. */
  async function openNotes({
    port = server().port,
    user = "postgres",
    settings = "",
    ...options
  }: Omit<PostgresOptions, "url"> & { port?: number; user?: string; settings?: string } = {}) {
    await admin.query(
      "DROP TABLE IF EXISTS notes; CREATE TABLE notes (id bigint PRIMARY KEY, text text)",
    );
    const url = `postgres://${user}@127.0.0.1:${port}/${database}?options=${encodeURIComponent(settings)}`;
    const driver = postgresDriver({ url, ...options });
    onTestFinished(() => driver.close());
    return driver;
  }
  const INSERT = "INSERT INTO notes (id, text) VALUES ($1, 'x')";
  const ids = async (): Promise<number[]> => {
    const { rows } = await admin.query<{ id: string }>("SELECT id FROM notes ORDER BY id");
    return rows.map(({ id }) => Number(id));
  };
  const connections = async (): Promise<number[]> => {
    const { rows } = await admin.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE application_name = 'countersign' AND datname = current_database()`,
    );
    return rows.map(({ pid }) => pid);
  };
  const terminate = (pids: readonly unknown[]): Promise<unknown> =>
    admin.query("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid", [pids]);

  it("runs a transaction again whose connection ended, up to five times, unless its function failed", async () => {
    const driver = await openNotes();
    let runs = 0;
    const running = (times: number, then: () => void = () => {}): Promise<void> =>
      driver.transaction(async (tx) => {
        runs += 1;
        await tx.query(INSERT, [runs]);
        if (runs > times) return;
        const [row] = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        await terminate([row?.pid]);
        then();
        await tx.query("SELECT 1");
      });
    await running(1);
    expect(await ids()).toEqual([2]);
    runs = 10;
    await expect(running(100)).rejects.toMatchObject(unavailable);
    expect(runs).toBe(15);
    const own = new RangeError("the caller's own");
    const failing = running(100, () => {
      throw own;
    });
    await expect(failing).rejects.toThrow(own);
    expect(await ids()).toEqual([2]);
  });

  it.each<Fault>(["lost", "unanswered"])(
    "reports an unknown outcome, and writes once at most, when the connection ends while COMMIT is %s",
    async (fault) => {
      const proxy = await cuttingProxy(server().port);
      const driver = await openNotes({ port: proxy.port });
      proxy.failNext(COMMIT, fault);
      const unknown = { ...unavailable, outcome: "unknown" };
      await expect(write(driver, 1)).rejects.toMatchObject(unknown);
      await expect.poll(ids).toEqual(fault === "lost" ? [] : [1]);
      await write(driver, 2);
    },
  );

  it("runs deadlocked transactions again until each is written", async () => {
    const driver = await openNotes({ settings: "-c deadlock_timeout=20" });
    await Promise.all([write(driver, 1), write(driver, 2)]);
    let arrived = 0;
    const { promise: both, resolve } = Promise.withResolvers<void>();
    const touch = (first: number, second: number): Promise<void> =>
      driver.transaction(async (tx) => {
        await tx.query("UPDATE notes SET text = text || 'y' WHERE id = $1", [first]);
        arrived += 1;
        if (arrived === 2) resolve();
        await both;
        await tx.query("UPDATE notes SET text = text || 'y' WHERE id = $1", [second]);
      });
    await Promise.all([touch(1, 2), touch(2, 1)]);
    expect(arrived).toBeGreaterThan(2);
    expect(await driver.query("SELECT DISTINCT text FROM notes")).toEqual([{ text: "xyy" }]);
  });

  it(
    "limits the wait for a row, a statement, an answer and a connection",
    { tags: "ci" },
    async () => {
      const driver = await openNotes({ lockMs: 50, statementMs: 200, maxConnections: 1 });
      await write(driver, 1);
      const connected = await connections();
      await admin.query("BEGIN; SELECT id FROM notes FOR UPDATE");
      const locking = driver.transaction((tx) => tx.query("SELECT id FROM notes FOR UPDATE"));
      await expect(locking).rejects.toMatchObject(unavailable);
      await admin.query("ROLLBACK");
      await expect(driver.query("SELECT pg_sleep(2)")).rejects.toMatchObject(unavailable);
      await write(driver, 2);
      expect(await ids()).toEqual([1, 2]);
      // Such a connection is used again.
      expect(await connections()).toEqual(connected);

      const proxy = await cuttingProxy(server().port);
      const silent = await openNotes({ port: proxy.port, statementMs: 200 });
      proxy.failNext("SELECT id", "swallowed");
      await expect(silent.query("SELECT id FROM notes")).rejects.toMatchObject(unavailable);
      expect(await silent.query("SELECT id FROM notes")).toEqual([]);

      const small = await openNotes({ maxConnections: 1, connectMs: 1000 });
      const { promise: held, resolve } = Promise.withResolvers<void>();
      const holding = small.transaction(() => held);
      await expect(small.query("SELECT 1")).rejects.toMatchObject(unavailable);
      resolve();
      await holding;
      await write(small, 1);
    },
  );

  it("knows a full disk by SQLSTATE 53100", async () => {
    const driver = await openNotes();
    const failing = "DO $$ BEGIN RAISE 'No space left on device' USING ERRCODE = '53100'; END $$";
    await expect(driver.query(failing)).rejects.toMatchObject(unavailable);
    await expect(driver.transaction((tx) => tx.query(failing))).rejects.toMatchObject(unavailable);
  });

  it("opens no more connections than it may, and leaves none open when it is closed", async () => {
    const driver = await openNotes({ maxConnections: 3 });
    const counting = Array.from({ length: 20 }, (_, id) =>
      driver.transaction(async (tx) => {
        await tx.query(INSERT, [id]);
        return (await connections()).length;
      }),
    );
    expect(Math.max(...(await Promise.all(counting)))).toBe(3);
    await driver.close();
    await expect.poll(connections).toEqual([]);
  });

  // A transaction's first statement does not wait for the answer to BEGIN.
  it("writes nothing of a transaction when BEGIN fails", async () => {
    const proxy = await cuttingProxy(server().port);
    const driver = await openNotes({ port: proxy.port, maxConnections: 1 });
    const syntax = { code: "42601" };
    proxy.failNext("BEGIN", "garbled");
    const { promise: failure, resolve } = Promise.withResolvers<unknown>();
    const outcome = driver.transaction(async (tx) => {
      await tx.query(INSERT, [1]).catch(resolve);
      return "as if it had been written";
    });
    await expect(outcome).rejects.toMatchObject(syntax);
    // Outside a transaction the statement is read-only.
    expect(await failure).toMatchObject({ code: "25006" });
    await write(driver, 2);
    expect(await ids()).toEqual([2]);
  });
});
