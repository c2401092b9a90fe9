import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { FailureLog } from "../../src/http/log.ts";
import { StoreUnavailableError, type Driver } from "../../src/store/driver.ts";
import { createTables } from "../../src/store/create-tables.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { StoreWatch } from "../../src/store/watch.ts";
import { hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { keptLog, openService, type TestAnswer, type TestService } from "../open-service.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { noDisk, smallDisk } from "./small-disk.ts";

/** A watch over a database with tables, whose monotonic time a test moves. */
async function watched(driver: Driver) {
  await createTables(driver);
  const { lines, logger } = keptLog();
  let failedCalls = 0;
  let now = 0;
  const elapsed = (): number => now;
  const failures = new FailureLog(logger, elapsed);
  const failed = (): number => (failedCalls += 1);
  const watch = new StoreWatch(driver, { failures, elapsed, failed });
  return { watch, lines, failedCalls: () => failedCalls, pass: (ms: number) => void (now += ms) };
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
  it("names the disk of a file while it has little room", async () => {
    const driver = hookedDriver(own(sqliteDriver(temporaryDatabase())), {});
    let hasRoom = false;
    const { watch, pass } = await watched({ ...driver, hasRoom: () => hasRoom });
    expect(await watch.failing()).toBe("disk");
    hasRoom = true;
    pass(1000);
    expect(await watch.failing()).toBeUndefined();
  });

  it("asks at most once a second, however many ask it, and logs each kind of failure once a minute with its cause and count", async () => {
    const hooks: DriverHooks = {};
    let [reads, writes] = [0, 0];
    const { watch, lines, failedCalls, pass } = await watched(
      hookedDriver(own(sqliteDriver(temporaryDatabase())), hooks),
    );
    hooks.query = async () => void (reads += 1);
    hooks.commit = () => (writes += 1);
    for (let asked = 0; asked < 10; asked += 1) expect(await watch.failing()).toBeUndefined();
    expect([reads, writes]).toEqual([1, 0]);
    pass(1000);
    await Promise.all([watch.failing(), watch.failing()]);
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
      expect(await watch.failing()).toBe("database");
    }
    const line = { cause: "database or disk is full", message: "the database cannot be used" };
    expect(lines).toMatchObject([
      { ...line, count: 1 },
      { ...line, count: 60 },
    ]);
    expect(JSON.stringify(lines)).not.toContain("stack");
    expect(failedCalls()).toBe(62);
    hooks.commit = () => (writes += 1);
    for (const written of [1, 1]) {
      pass(1000);
      expect(await watch.failing()).toBeUndefined();
      expect(writes).toBe(written);
    }
    expect(reads).toBe(3);
  });

  it.skipIf(noDisk !== undefined)(
    `fails with 503 while the disk of a SQLite file is full, and comes back when it has room${noDisk === undefined ? "" : ` (skipped: ${noDisk})`}`,
    async () => {
      const disk = smallDisk(100);
      const open = await openService({ file: join(disk.folder, "service.db") });
      expect((await ready(open)).status).toBe(200);
      disk.fill();
      // The last page of the file may have room for one.
      await expect.poll(async () => (await open.subscribe()).status).toBe(503);
      const full = await ready(open);
      expect(full).toMatchObject({
        status: 503,
        headers: { "content-type": "application/problem+json", "retry-after": "1" },
        body: { errorDetails: { errorCode: "SERVICE_UNAVAILABLE" } },
      });
      expect(full.text).toMatch(/The service is not ready: (?:database|disk)\./);
      const writeLines = open.lines.filter(
        ({ message }) => message === "the database cannot be used",
      );
      expect(writeLines).toMatchObject([{ cause: "database or disk is full", count: 1 }]);
      expect(await open.service.metrics.text()).toMatch(/^countersign_store_failures_total [1-9]/m);
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
      expect((await ready(open)).text).toContain("The service is not ready: database.");
      const cause = `the database file ${file} has been ${how}: restart the service`;
      const faults = open.lines.filter(({ message }) => message !== "call");
      expect(faults).toMatchObject([{ cause, message: "the database cannot be used" }]);
    });
});
