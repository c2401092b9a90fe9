import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { describePostgres } from "../../../receiver/test/inboxes/describe-postgres.ts";
import { migrate } from "../../src/store/migrate.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import type { PostgresOptions } from "../../src/store/postgres/pool.ts";
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
    "writes once when the connection ends while COMMIT is %s, and reports an unknown outcome when nobody can be asked",
    async (fault) => {
      const proxy = await cuttingProxy(server().port);
      const driver = await openNotes({ port: proxy.port });
      let runs = 0;
      const writing = (then: () => void): Promise<string> =>
        driver.transaction(async (tx) => {
          runs += 1;
          await tx.query(INSERT, [runs]);
          then();
          return "written";
        });
      proxy.failNext(COMMIT, fault);
      expect(await writing(() => {})).toBe("written");
      expect(await ids()).toEqual([fault === "lost" ? 2 : 1]);
      runs = 10;
      proxy.failNext(COMMIT, fault);
      const unknown = { ...unavailable, outcome: "unknown" };
      await expect(writing(proxy.shut)).rejects.toMatchObject(unknown);
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
    "limits the wait for a row, a statement, an answer and a connection, but not an exclusive transaction",
    { tags: "ci" },
    async () => {
      const driver = await openNotes({ lockMs: 50, statementMs: 200, maxConnections: 1 });
      await write(driver, 1);
      const connected = await connections();
      await admin.query("BEGIN; SELECT id FROM notes FOR UPDATE");
      const locking = driver.transaction((tx) => tx.query("SELECT id FROM notes FOR UPDATE"));
      await expect(locking).rejects.toMatchObject(unavailable);
      await admin.query("ROLLBACK");
      await driver.exclusive((tx) => tx.query("SELECT pg_sleep(0.3)"));
      // Its limits do not stay with the connection.
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

  describe("migrate", { tags: "ci" }, () => {
    const silent = /^the database cannot be used: (?:the server does not answer|.*timeout)/i;
    /** A driver with short limits behind a proxy, over a database of its own. */
    async function openEmpty() {
      const proxy = await cuttingProxy(server().port);
      const path = await server().create();
      const url = `postgres://postgres@127.0.0.1:${proxy.port}/${path}`;
      const driver = postgresDriver({ url, connectMs: 2000, statementMs: 1000 });
      onTestFinished(() => driver.close());
      /** Migrates as another process does, until the returned function is called. */
      const holdLock = async (): Promise<() => Promise<void>> => {
        const other = postgresDriver({ url: server().urlOf(path), statementMs: 600_000 });
        const [held, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const holding = other.exclusive(() => (begun.resolve(), held.promise));
        const release = async (): Promise<void> => {
          held.resolve();
          await holding;
          await other.close();
        };
        onTestFinished(release);
        await begun.promise;
        return release;
      };
      return { proxy, holdLock, run: () => migrate(driver, { now: 1 }) };
    }

    it.each(["default_transaction_read_only", "BEGIN"])(
      "rejects with CS_STORE_UNAVAILABLE when the server never answers %s, and runs when it is called again",
      async (text) => {
        const { proxy, run } = await openEmpty();
        proxy.failNext(text, "swallowed");
        await expect(run()).rejects.toMatchObject({ ...unavailable, message: silent });
        expect((await run()).length).toBeGreaterThan(0);
      },
    );

    it("rejects with CS_STORE_UNAVAILABLE when the server accepts the connection and never answers anything", async () => {
      const { proxy, run } = await openEmpty();
      proxy.freeze();
      await expect(run()).rejects.toMatchObject({ ...unavailable, message: silent });
    });

    it("waits for another process's migration, says so once, and rejects when the server hangs meanwhile", async () => {
      const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
      onTestFinished(() => warn.mockRestore());
      const { proxy, holdLock, run } = await openEmpty();
      const release = await holdLock();
      const waiting = run();
      await expect.poll(() => warn.mock.calls.length).toBe(1);
      expect(warn.mock.calls[0]?.[0]).toMatch(/^another process is migrating the database/);
      await release();
      expect((await waiting).length).toBeGreaterThan(0);
      expect(warn).toHaveBeenCalledTimes(1);

      await holdLock();
      const hanging = run();
      await expect.poll(() => warn.mock.calls.length).toBe(2);
      proxy.freeze();
      await expect(hanging).rejects.toMatchObject({ ...unavailable, message: silent });
    });
  });

  it("knows a full disk by SQLSTATE 53100", async () => {
    const driver = await openNotes();
    const failing = "DO $$ BEGIN RAISE 'No space left on device' USING ERRCODE = '53100'; END $$";
    const full = { ...unavailable, fault: "full" };
    await expect(driver.query(failing)).rejects.toMatchObject(full);
    await expect(driver.transaction((tx) => tx.query(failing))).rejects.toMatchObject(full);
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
  it("writes nothing of a transaction, and runs nothing of an exclusive one, when BEGIN fails", async () => {
    const proxy = await cuttingProxy(server().port);
    const driver = await openNotes({ port: proxy.port, maxConnections: 1 });
    const syntax = { ...unavailable, cause: { code: "42601" } };
    proxy.failNext("BEGIN", "garbled");
    const { promise: failure, resolve } = Promise.withResolvers<unknown>();
    const outcome = driver.transaction(async (tx) => {
      await tx.query(INSERT, [1]).catch(resolve);
      return "as if it had been written";
    });
    await expect(outcome).rejects.toMatchObject(syntax);
    // Outside a transaction the statement is read-only.
    expect(await failure).toMatchObject({ code: "25006" });
    proxy.failNext("BEGIN", "garbled");
    let hasRun = false;
    const exclusive = driver.exclusive(async () => void (hasRun = true));
    await expect(exclusive).rejects.toMatchObject(syntax);
    expect(hasRun).toBe(false);
    await write(driver, 2);
    expect(await ids()).toEqual([2]);
  });

  it("leaves its connection usable after a transaction could not begin", async () => {
    const user = `limited_${randomUUID().replaceAll("-", "")}`;
    await admin.query(`CREATE ROLE ${user} LOGIN;
      REVOKE EXECUTE ON FUNCTION pg_postmaster_start_time FROM PUBLIC`);
    const driver = await openNotes({ user, maxConnections: 1 });
    const outcome = driver.transaction((tx) => tx.query("SELECT 1 AS one"));
    await expect(outcome).rejects.toMatchObject({ ...unavailable, cause: { code: "42501" } });
    expect(await driver.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await admin.query(`DROP ROLE ${user}`);
  });
});
