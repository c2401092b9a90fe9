import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreInUseError, StoreUnavailableError, type Driver } from "../../src/store/driver.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
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

  it("fail with CS_STORE_UNAVAILABLE while another program has locked the file", async () => {
    const { driver, file } = await openNotes();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    // Before they read: a later lock would fail if another program had written in between.
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

  it("are flushed to disk by COMMIT unless each of the group may be lost, keep references intact and ignore row locks", async () => {
    const { driver } = await openNotes();
    const flushOf = (isDurable: boolean): Promise<unknown> =>
      driver.transaction((tx) => tx.query("PRAGMA synchronous"), { isDurable });
    // 2 is FULL, 1 is NORMAL.
    expect(await flushOf(false)).toEqual([{ synchronous: 1 }]);
    expect(await Promise.all([flushOf(false), flushOf(true)])).toEqual(
      [2, 2].map((synchronous) => [{ synchronous }]),
    );
    expect(await flushOf(false)).toEqual([{ synchronous: 1 }]);
    const settings = await driver.transaction(async (tx) => [
      ...(await tx.query("PRAGMA journal_mode")),
      ...(await tx.query("PRAGMA synchronous")),
      ...(await tx.query("PRAGMA foreign_keys")),
      ...(await tx.query("SELECT count(*) AS n FROM notes FOR UPDATE SKIP LOCKED")),
    ]);
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
    "C4 is created readable by its user only, with its -wal, -shm, -lock and -owner, under umask %s",
    (umask) => {
      const file = temporaryDatabase();
      const module = new URL("../../src/store/sqlite/driver.ts", import.meta.url).href;
      const script = `
        import { statSync } from "node:fs";
        import { sqliteDriver } from "${module}";
        const driver = sqliteDriver(process.argv[1]);
        await driver.transaction((tx) => tx.query("CREATE TABLE t (id INTEGER)"));
        const names = ["", "-wal", "-shm", "-lock", "-owner"].map((end) => process.argv[1] + end);
        console.log(names.map((name) => (statSync(name).mode & 0o777).toString(8)).join());
        await driver.close();`;
      const node = [process.execPath, "--input-type=module"];
      const shell = ["-c", `umask ${umask}; exec "$@"`, "sh", ...node, "-e", script, file];
      const { stdout, stderr } = spawnSync("sh", shell, { encoding: "utf8" });
      expect([stdout.trim(), stderr]).toEqual(["600,600,600,600,600", expect.any(String)]);
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

describe("a second driver of one SQLite file", () => {
  /** A driver in a process that ends with the test. @returns Ends it as a crash does. */
  async function otherProcess(file: string): Promise<() => Promise<unknown>> {
    const module = new URL("../../src/store/sqlite/driver.ts", import.meta.url).href;
    const script = `
      import { sqliteDriver } from "${module}";
      // An open database that nothing refers to is closed by the garbage collector.
      const driver = (globalThis.driver = sqliteDriver(process.argv[1]));
      await driver.transaction((tx) => tx.query("CREATE TABLE t (id INTEGER)"));
      driver.name("http://127.0.0.1:8080");
      console.log(process.pid);
      process.stdin.resume();`;
    const flags = ["--input-type=module", "-e", script, file];
    const child = spawn(process.execPath, flags, { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const message = `the database ${file} is in use by process ${child.pid} at http://127.0.0.1:8080: stop it first`;
    expect(() => sqliteDriver(file)).toThrow(
      expect.objectContaining({ code: "CS_STORE_IN_USE", message }),
    );
    return () => {
      child.kill("SIGKILL");
      return exited;
    };
  }

  it("is refused with the other process's id and address, until that one ends, even by a crash", async () => {
    const file = temporaryDatabase();
    const crash = await otherProcess(file);
    // A backup may read meanwhile.
    const backup = new DatabaseSync(file, { readOnly: true });
    expect(backup.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 0 });
    backup.close();
    await crash();
    expect(existsSync(`${file}-owner`)).toBe(true);
    const driver = sqliteDriver(file);
    expect(await driver.query("SELECT id FROM t")).toEqual([]);
    await driver.close();
    expect(existsSync(`${file}-owner`)).toBe(false);
  });

  it("is refused in the same process too, and accepted once the first one is closed", async () => {
    const file = temporaryDatabase();
    const first = sqliteDriver(file);
    expect(() => sqliteDriver(file)).toThrow(StoreInUseError);
    await Promise.all([first.close(), first.close()]);
    await sqliteDriver(file).close();
  });

  it("is accepted after one that could not open the file", async () => {
    const file = temporaryDatabase();
    writeFileSync(
      file,
      "this is a text instead of a database, and long enough to see\n".repeat(40),
    );
    expect(() => sqliteDriver(file)).toThrow(/not a database/);
    writeFileSync(file, "");
    await sqliteDriver(file).close();
  });
});
