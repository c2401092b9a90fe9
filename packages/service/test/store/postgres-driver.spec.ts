import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  postgresBinaries,
  startPostgres,
  type TestServer,
} from "../../../receiver/test/inboxes/postgres-server.ts";
import type { Driver } from "../../src/store/driver.ts";
import { postgresDriver, type PostgresOptions } from "../../src/store/postgres-driver.ts";
import { cuttingProxy, type Fault, type Proxy } from "./cutting-proxy.ts";

const reason = postgresBinaries === undefined ? " (skipped: PostgreSQL is not installed)" : "";
/** As it is sent: a text ends with a zero, and BEGIN names READ COMMITTED. */
const COMMIT = "COMMIT\0";
const unavailable = { code: "CS_STORE_UNAVAILABLE", outcome: "undone" };

describe.skipIf(postgresBinaries === undefined)(`the PostgreSQL driver${reason}`, () => {
  let server: TestServer;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    // One connection, on which a transaction can go on.
    admin = new pg.Pool({ host: "127.0.0.1", port: server.port, user: "postgres", max: 1 });
  }, 60_000);
  afterAll(async () => {
    await admin.end();
    server.stop();
  });

  /** A driver with an empty table `notes (id, text)`. */
  async function openNotes({
    port = server.port,
    settings = "",
    ...options
  }: Omit<PostgresOptions, "url"> & { port?: number; settings?: string } = {}): Promise<Driver> {
    await admin.query(
      "DROP TABLE IF EXISTS notes; CREATE TABLE notes (id bigint PRIMARY KEY, text text)",
    );
    const url = `postgres://postgres@127.0.0.1:${port}/postgres?options=${encodeURIComponent(settings)}`;
    const driver = postgresDriver({ url, ...options });
    onTestFinished(() => driver.close());
    return driver;
  }
  const write = (driver: Driver, id: number): Promise<string> =>
    driver.transaction(async (tx) => {
      await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [id]);
      return "written";
    });
  const ids = async (): Promise<number[]> => {
    const { rows } = await admin.query<{ id: string }>("SELECT id FROM notes ORDER BY id");
    return rows.map(({ id }) => Number(id));
  };
  const connections = async (): Promise<number[]> => {
    const { rows } = await admin.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'countersign'",
    );
    return rows.map(({ pid }) => pid);
  };

  describe("whose connection ends", () => {
    it("opens another one where it was idle", async () => {
      const driver = await openNotes();
      await Promise.all([write(driver, 1), write(driver, 2)]);
      await admin.query("SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid", [
        await connections(),
      ]);
      await expect.poll(connections).toEqual([]);
      await Promise.all([write(driver, 3), driver.query("SELECT id FROM notes")]);
      expect(await ids()).toEqual([1, 2, 3]);
    });

    it("runs the transaction again that was in its middle", async () => {
      const driver = await openNotes();
      let runs = 0;
      await driver.transaction(async (tx) => {
        runs += 1;
        await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [runs]);
        if (runs === 1) {
          const [row] = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
          await admin.query("SELECT pg_terminate_backend($1)", [row?.pid]);
          await tx.query("SELECT 1");
        }
      });
      expect(await ids()).toEqual([2]);
    });

    it("gives up after five runs, and has written nothing", async () => {
      const driver = await openNotes();
      let runs = 0;
      const outcome = driver.transaction(async (tx) => {
        runs += 1;
        await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
        await tx.query("SELECT pg_terminate_backend(pg_backend_pid())");
      });
      await expect(outcome).rejects.toMatchObject(unavailable);
      expect(runs).toBe(5);
      expect(await ids()).toEqual([]);
    });

    it("passes on the caller's own error, which no connection can undo", async () => {
      const driver = await openNotes();
      const outcome = driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
        const [row] = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        await admin.query("SELECT pg_terminate_backend($1)", [row?.pid]);
        throw new RangeError("the caller's own");
      });
      await expect(outcome).rejects.toThrow(new RangeError("the caller's own"));
      expect(await ids()).toEqual([]);
    });

    it.each<[Fault, string]>([
      ["lost", "before COMMIT has arrived"],
      ["unanswered", "before COMMIT is answered"],
    ])("(%s) writes once where that was %s", async (fault) => {
      const proxy = await cuttingProxy(server.port);
      const driver = await openNotes({ port: proxy.port });
      let runs = 0;
      proxy.failNext(COMMIT, fault);
      const value = await driver.transaction(async (tx) => {
        runs += 1;
        await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [runs]);
        return "written";
      });
      expect(value).toBe("written");
      expect(await ids()).toEqual([fault === "lost" ? 2 : 1]);
    });

    it.each<Fault>(["lost", "unanswered"])(
      "(%s) says that the outcome is unknown where nobody can be asked what became of COMMIT",
      async (fault) => {
        const proxy: Proxy = await cuttingProxy(server.port);
        const driver = await openNotes({ port: proxy.port });
        proxy.failNext(COMMIT, fault);
        const outcome = driver.transaction(async (tx) => {
          await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
          proxy.shut();
        });
        await expect(outcome).rejects.toMatchObject({ ...unavailable, outcome: "unknown" });
      },
    );

    it("waits for no answer longer than a statement may take", async () => {
      const proxy = await cuttingProxy(server.port);
      const driver = await openNotes({ port: proxy.port, statementMs: 300 });
      proxy.failNext("SELECT id", "swallowed");
      await expect(driver.query("SELECT id FROM notes")).rejects.toMatchObject(unavailable);
      expect(await driver.query("SELECT id FROM notes")).toEqual([]);
    });
  });

  it("runs transactions again that lock each other out, until each is written", async () => {
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

  it("waits for a row and a statement no longer than it is told", async () => {
    const driver = await openNotes({ lockMs: 50, statementMs: 500 });
    await write(driver, 1);
    await admin.query("BEGIN; SELECT id FROM notes FOR UPDATE");
    const locking = driver.transaction((tx) => tx.query("SELECT id FROM notes FOR UPDATE"));
    await expect(locking).rejects.toMatchObject(unavailable);
    await admin.query("ROLLBACK");
    await expect(driver.query("SELECT pg_sleep(2)")).rejects.toMatchObject(unavailable);
    await write(driver, 2);
    expect(await ids()).toEqual([1, 2]);
  });

  it("lets an exclusive transaction take its time", async () => {
    const driver = await openNotes({ lockMs: 200, statementMs: 200 });
    await driver.exclusive((tx) => tx.query("SELECT pg_sleep(0.4)"));
    // What was set for it alone does not stay with its connection.
    await expect(driver.query("SELECT pg_sleep(2)")).rejects.toMatchObject(unavailable);
  });

  it("opens no more connections than it is told, and none stays when it is closed", async () => {
    const driver = await openNotes({ maxConnections: 3 });
    const most = await Promise.all(
      Array.from({ length: 20 }, (_, id) =>
        driver.transaction(async (tx) => {
          await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [id]);
          return (await connections()).length;
        }),
      ),
    );
    expect(Math.max(...most)).toBe(3);
    await driver.close();
    await expect.poll(connections).toEqual([]);
  });

  it("answers with CS_STORE_UNAVAILABLE where a connection does not come free in time", async () => {
    const driver = await openNotes({ maxConnections: 1, connectMs: 500 });
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const holding = driver.transaction(() => held);
    await expect(driver.query("SELECT 1")).rejects.toMatchObject(unavailable);
    resolve();
    await holding;
    expect(await write(driver, 1)).toBe("written");
  });
});
