import { renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { FailureLog } from "../../src/http/log.ts";
import { StoreUnavailableError, type Driver } from "../../src/store/driver.ts";
import { migrate } from "../../src/store/migrate.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { StoreWatch } from "../../src/store/watch.ts";
import { hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { keptLog, openService, type TestAnswer, type TestService } from "../open-service.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { noDisk, smallDisk } from "./small-disk.ts";

/** A watch over a database with tables, whose monotonic time a test moves. */
async function watched(driver: Driver) {
  await migrate(driver, { now: 0 });
  const { lines, logger } = keptLog();
  const faults: string[] = [];
  let now = 0;
  const elapsed = (): number => now;
  const failures = new FailureLog(logger, elapsed);
  const failed = (fault: string): number => faults.push(fault);
  const watch = new StoreWatch(driver, { failures, elapsed, failed });
  return { watch, lines, faults, pass: (ms: number) => void (now += ms) };
}

const own = (driver: Driver): Driver => {
  onTestFinished(() => driver.close());
  return driver;
};

const ready = async ({ call, clock }: TestService): Promise<TestAnswer> => {
  // A probe's result is kept for a second.
  clock.advance(1000);
  return call("GET", "/readyz", { token: null });
};

describe("readiness of the store", () => {
  it("asks at most once a second, however many ask it, and logs each kind of failure once a minute with its cause and count", async () => {
    const hooks: DriverHooks = {};
    let [reads, writes] = [0, 0];
    const { watch, lines, faults, pass } = await watched(
      hookedDriver(own(sqliteDriver(temporaryDatabase())), hooks),
    );
    hooks.query = async () => void (reads += 1);
    hooks.commit = () => (writes += 1);
    for (let asked = 0; asked < 10; asked += 1) expect(await watch.check()).toEqual([]);
    expect([reads, writes]).toEqual([1, 0]);
    pass(1000);
    await Promise.all([watch.check(), watch.check()]);
    expect([reads, writes]).toEqual([2, 0]);

    const cause = Object.assign(new Error("database or disk is full"), { errcode: 13 });
    hooks.commit = () => {
      throw new StoreUnavailableError("the database cannot be used", { cause });
    };
    const write = (): Promise<unknown> => watch.driver.transaction(async () => {});
    await expect(write()).rejects.toBeInstanceOf(StoreUnavailableError);
    for (let second = 0; second < 61; second += 1) {
      pass(1000);
      // After a failed call only a write shows that the database can be used.
      expect(await watch.check()).toEqual(["write"]);
    }
    const line = { cause: "database or disk is full", message: "the database cannot be used" };
    expect(lines).toMatchObject([
      { ...line, count: 1 },
      { ...line, count: 60 },
    ]);
    expect(JSON.stringify(lines)).not.toContain("stack");
    expect(faults).toHaveLength(62);
    hooks.commit = () => (writes += 1);
    for (const written of [1, 1]) {
      pass(1000);
      expect(await watch.check()).toEqual([]);
      expect(writes).toBe(written);
    }
    expect(reads).toBe(3);
  });

  it.skipIf(noDisk !== undefined)(
    `fails with 503 while the disk of a SQLite file is full, names the checks, and comes back when it has room${noDisk === undefined ? "" : ` (skipped: ${noDisk})`}`,
    async () => {
      const disk = smallDisk(100);
      const open = await openService({ file: join(disk.folder, "service.db") });
      expect((await ready(open)).status).toBe(200);
      disk.fill(32 * 2 ** 20);
      expect((await ready(open)).text).toContain("The service is not ready: space.");
      const causes = open.lines.flatMap(({ cause }) => cause ?? []);
      expect(causes.at(-1)).toMatch(/^the disk has 33\d+ free bytes, fewer than 67108864$/);
      disk.fill();
      // The last page of the file may have room for one.
      await expect.poll(async () => (await open.subscribe()).status).toBe(503);
      const full = await ready(open);
      expect(full).toMatchObject({
        status: 503,
        headers: { "content-type": "application/problem+json", "retry-after": "1" },
        body: { errorDetails: { errorCode: "SERVICE_UNAVAILABLE" } },
      });
      expect(full.text).toMatch(/The service is not ready: (?:write, )?space\./);
      const writeLines = open.lines.filter(
        ({ message }) => message === "the database cannot be used",
      );
      expect(writeLines).toMatchObject([{ cause: "database or disk is full", count: 1 }]);
      expect(await open.service.metrics.text()).toMatch(
        /^countersign_store_failures_total\{cause="full"\} [1-9]/m,
      );
      disk.free();
      expect((await ready(open)).status).toBe(200);
    },
    30_000,
  );
});

describe("a SQLite file under a running service", () => {
  for (const [how, change] of [
    ["removed", (file: string) => rmSync(file)],
    [
      "replaced",
      (file: string) => {
        renameSync(file, `${file}.old`);
        new DatabaseSync(file).close();
      },
    ],
  ] as const)
    it(`that is ${how} fails the readiness, and writes are refused with 503 instead of acknowledged and lost`, async () => {
      const file = temporaryDatabase();
      const open = await openService({ file });
      expect((await open.subscribe()).status).toBe(200);
      change(file);
      const refused = await open.subscribe();
      expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
      expect((await ready(open)).text).toContain("The service is not ready: write.");
      const cause = `the database file ${file} has been ${how}: restart the service`;
      const faults = open.lines.filter(({ message }) => message !== "call");
      expect(faults).toMatchObject([{ cause, message: "the database cannot be used" }]);
    });

  it(
    "has its WAL emptied when a long reader ends; until then the size is in a metric and the log",
    { tags: "ci" },
    async () => {
      const file = temporaryDatabase();
      const { watch, lines } = await watched(own(sqliteDriver(file)));
      const reader = new DatabaseSync(file, { readOnly: true });
      onTestFinished(() => reader.close());
      reader.exec("BEGIN; SELECT count(*) FROM merchants");
      await watch.driver.transaction((tx) => tx.query("CREATE TABLE large (text text)"));
      const grow = (): Promise<unknown> =>
        watch.driver.transaction((tx) =>
          tx.query("INSERT INTO large (text) VALUES ($1)", ["x".repeat(24 * 2 ** 20)]),
        );
      await grow();
      expect(watch.vitals().walBytes).toBeGreaterThan(24 * 2 ** 20);
      expect(lines).toEqual([]);
      for (let more = 0; more < 2; more += 1) await grow();
      expect(watch.vitals().walBytes).toBeGreaterThan(64 * 2 ** 20);
      expect(lines).toMatchObject([{ message: "the database's log grows" }]);
      expect(lines[0]?.cause).toMatch(/^the WAL has 7\d+ bytes: a reader/);
      reader.exec("COMMIT");
      expect(watch.vitals().walBytes).toBe(0);
      expect(statSync(`${file}-wal`).size).toBe(0);
    },
  );
});
