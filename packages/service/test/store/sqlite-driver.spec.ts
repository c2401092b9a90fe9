import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreUnavailableError, type Driver } from "../../src/store/driver.ts";
import { FailureLog } from "../../src/http/log.ts";
import { migrate } from "../../src/store/migrate.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { StoreWatch } from "../../src/store/watch.ts";
import { keptLog } from "../open-service.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { ids, withDeferred, withNotes, write } from "./driver-suite.ts";

/** A driver over a new file with the table `notes (id, text)`; whoever meets a lock fails at once. */
async function openNotes(): Promise<{ driver: Driver; file: string }> {
  const file = temporaryDatabase();
  const driver = sqliteDriver(file, { busyMs: 0 });
  onTestFinished(() => driver.close());
  return { driver: await withNotes(driver), file };
}
const refused = { status: "rejected", reason: { code: "CS_STORE_UNAVAILABLE" } };

describe("transactions on SQLite", () => {
  it("of one turn share one COMMIT, before which no call is answered and no row is visible", async () => {
    const { driver, file } = await openNotes();
    const seen = new Set<number>();
    const order: string[] = [];
    const transaction = (id: number): Promise<unknown> =>
      driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [id]);
        order.push("wrote");
        seen.add((await ids(driver)).length);
      });
    const calls = Array.from({ length: 50 }, (_, id) => transaction(id));
    await Promise.all(calls.map((call) => call.then(() => order.push("answered"))));
    expect([...seen]).toEqual([0]);
    expect(order.lastIndexOf("wrote")).toBe(49);
    await driver.close();
    const again = sqliteDriver(file);
    expect(await ids(again)).toHaveLength(50);
    await again.close();
  });

  it("fail with CS_STORE_UNAVAILABLE while another process has locked the file", async () => {
    const { driver, file } = await openNotes();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    // Before they read: a later lock would fail if another process had written in between.
    const read = driver.transaction((tx) => tx.query("SELECT id FROM notes"));
    await expect(read).rejects.toBeInstanceOf(StoreUnavailableError);
    other.exec("ROLLBACK");
    other.close();
    await write(driver, 2);
    expect(await ids(driver)).toEqual([2]);
  });

  it("all fail with CS_STORE_UNAVAILABLE when their common COMMIT fails or the disk is full", async () => {
    const { driver } = await openNotes();
    await withDeferred(driver);
    const uncommitted = await Promise.allSettled([
      write(driver, 1),
      driver.transaction((tx) => tx.query("INSERT INTO children (parent) VALUES (7)")),
      driver.transaction(() => Promise.reject(new RangeError("had seen the others"))),
    ]);
    expect(uncommitted).toMatchObject([refused, refused, refused]);
    await driver.transaction((tx) => tx.query("PRAGMA max_page_count = 12"));
    const full = await Promise.allSettled([
      write(driver, 1),
      write(driver, 2, "x".repeat(200_000)),
      write(driver, 3),
    ]);
    expect(full).toMatchObject([refused, refused, refused]);
    await write(driver, 4);
    expect(await ids(driver)).toEqual([4]);
  });

  it("are flushed to disk by COMMIT, keep references intact and ignore row locks", async () => {
    const { driver } = await openNotes();
    const settings = await driver.transaction(async (tx) => [
      ...(await tx.query("PRAGMA journal_mode")),
      ...(await tx.query("PRAGMA synchronous")),
      ...(await tx.query("PRAGMA foreign_keys")),
      ...(await tx.query("SELECT count(*) AS n FROM notes FOR UPDATE SKIP LOCKED")),
    ]);
    // 2 is FULL.
    expect(settings).toEqual([
      { journal_mode: "wal" },
      { synchronous: 2 },
      { foreign_keys: 1 },
      { n: 0 },
    ]);
    for (const file of ["", ":memory:", "file::memory:?cache=shared"])
      expect(() => sqliteDriver(file)).toThrow(TypeError);
  });
});
describe("a SQLite file", () => {
  it.each(["000", "0777"])(
    "C4 is created readable by its user only, with its -wal, -shm and -lock, under umask %s",
    (umask) => {
      const file = temporaryDatabase();
      const module = new URL("../../src/store/sqlite/driver.ts", import.meta.url).href;
      const script = `
        import { statSync } from "node:fs";
        import { sqliteDriver } from "${module}";
        const driver = sqliteDriver(process.argv[1]);
        await driver.transaction((tx) => tx.query("CREATE TABLE t (id INTEGER)"));
        await driver.enter(async () => {});
        const names = ["", "-wal", "-shm", "-lock"].map((end) => process.argv[1] + end);
        console.log(names.map((name) => (statSync(name).mode & 0o777).toString(8)).join());
        await driver.close();`;
      const node = [process.execPath, "--conditions=@countersign/source", "--input-type=module"];
      const shell = ["-c", `umask ${umask}; exec "$@"`, "sh", ...node, "-e", script, file];
      const { stdout, stderr } = spawnSync("sh", shell, { encoding: "utf8" });
      expect([stdout.trim(), stderr]).toEqual(["600,600,600,600", expect.any(String)]);
    },
  );

  it("keeps the mode that its owner has given it", () => {
    const file = temporaryDatabase();
    writeFileSync(file, "");
    chmodSync(file, 0o640);
    const driver = sqliteDriver(file);
    onTestFinished(() => driver.close());
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });
});

describe("the thread of deliveries of a SQLite file", () => {
  const PAUSE = { pause: { failures: 1, afterMs: 0 } };
  /** Whoever meets a lock fails at once. */
  async function openThread() {
    const file = temporaryDatabase();
    const driver = sqliteDriver(file, { busyMs: 0, deliveryThread: true });
    onTestFinished(() => driver.close());
    await migrate(driver, { now: 0 });
    return { driver, file, store: deliveryStore(driver) };
  }

  it("takes turns with transactions: none of them meets another one's lock", async () => {
    const { driver, store } = await openThread();
    await withNotes(driver);
    await store.complete([], PAUSE);
    const gate = Promise.withResolvers<void>();
    const long = driver.transaction(async (tx) => {
      await tx.query("INSERT INTO notes (id, text) VALUES (0, 'x')");
      await gate.promise;
    });
    const behind = store.complete([], PAUSE);
    // The thread answers in order: by then it would have met the lock.
    for (let asked = 0; asked < 5; asked += 1) await store.read([], { now: 0, most: 1 });
    gate.resolve();
    await Promise.all([long, behind]);
    for (let id = 1; id < 100; id += 1)
      await Promise.all([store.complete([], PAUSE), write(driver, id)]);
    expect(await ids(driver)).toHaveLength(100);
  });

  it("ends when the driver is closed, after the calls under way, and leaves no WAL behind", async () => {
    const { driver, file, store } = await openThread();
    const complete = store.complete([], PAUSE);
    await store.read([], { now: 0, most: 1 });
    await driver.close();
    expect(await complete).toEqual({ completed: [], paused: [] });
    expect(existsSync(`${file}-wal`)).toBe(false);
    await expect(store.complete([], PAUSE)).rejects.toMatchObject(refused.reason);
  });

  it("fails every call and the readiness once it has ended unexpectedly, and logs that", async () => {
    const { driver, file, store } = await openThread();
    // It cannot open the file when its first call starts it.
    rmSync(file);
    mkdirSync(file);
    const message: unknown = expect.stringContaining("the thread of deliveries has ended");
    const ended = { status: "rejected", reason: { code: "CS_STORE_UNAVAILABLE", message } };
    const calls = [store.read([], { now: 0, most: 1 }), store.complete([], PAUSE)];
    expect(await Promise.allSettled(calls)).toMatchObject([ended, ended]);
    await expect(driver.query("SELECT 1")).rejects.toMatchObject(ended.reason);
    const { lines, logger } = keptLog();
    const failures = new FailureLog(logger, () => 0);
    const watch = new StoreWatch(driver, { failures, elapsed: () => 0, failed: () => {} });
    expect(await watch.check()).toContain("write");
    expect(lines).toMatchObject([{ cause: message }]);
  });
});
