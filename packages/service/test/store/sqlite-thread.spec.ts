import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { perform, StoreUnavailableError, type Driver } from "../../src/store/driver.ts";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";
import { end, fail, unknown, write } from "./note-operations.ts";

const thread = new URL("notes-thread.ts", import.meta.url);

/** A driver with a thread, over a new file with the table `notes (id, text)`. */
async function openNotes(): Promise<Driver> {
  // Whoever meets the other's lock fails at once.
  const driver = sqliteDriver(temporaryDatabase(), { thread, busyMs: 0 });
  onTestFinished(() => driver.close());
  await driver.transaction((tx) =>
    tx.query("CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL)"),
  );
  return driver;
}

const insert = (driver: Driver, id: number): Promise<unknown> =>
  driver.transaction((tx) => tx.query("INSERT INTO notes (id, text) VALUES ($1, 'own')", [id]));
const notes = async (driver: Driver): Promise<string[]> => {
  const rows = await driver.query<{ note: string }>(
    "SELECT id || ' ' || text AS note FROM notes ORDER BY id",
  );
  return rows.map(({ note }) => note);
};

describe("a thread beside a driver of SQLite", () => {
  it("carries operations out, while this one goes on", async () => {
    const driver = await openNotes();
    const writing = perform(driver, write, { id: 1, holdMs: 200 });
    const own = insert(driver, 2);
    const written = writing.then(() => true);
    let turns = 0;
    while (!(await Promise.race([written, setImmediate(false)]))) turns += 1;

    expect(await writing).toBe(1);
    await own;
    // One that waits inside SQLite for the thread's lock takes no turn meanwhile.
    expect(turns).toBeGreaterThan(50);
    expect(await notes(driver)).toEqual(["1 aside", "2 own"]);
  });

  it("takes turns with this one", async () => {
    const driver = await openNotes();
    const order: string[] = [];
    const told = (name: string) => () => order.push(name);
    await Promise.all([
      perform(driver, write, { id: 1, holdMs: 20 }).then(told("thread 1")),
      insert(driver, 2).then(told("own 2")),
    ]);

    expect(order).toEqual(["thread 1", "own 2"]);
  });

  it("takes back what a failing operation wrote, and passes its error on", async () => {
    const driver = await openNotes();
    const outcomes = await Promise.allSettled([
      perform(driver, write, { id: 1 }),
      perform(driver, fail, { id: 2 }),
      perform(driver, unknown, {}),
    ]);

    expect(outcomes).toMatchObject([
      { status: "fulfilled", value: 1 },
      { reason: { message: "the operation's own", cause: { message: "a reason" } } },
      { reason: { message: "there is no operation unknown" } },
    ]);
    expect(await notes(driver)).toEqual(["1 aside"]);
  });

  it("says that the store is unavailable where another process keeps the lock", async () => {
    const file = temporaryDatabase();
    const other = sqliteDriver(file);
    const driver = sqliteDriver(file, { thread, busyMs: 0 });
    onTestFinished(async () => {
      await driver.close();
      await other.close();
    });
    await other.transaction((tx) =>
      tx.query("CREATE TABLE notes (id bigint PRIMARY KEY, text text)"),
    );
    const held = Promise.withResolvers<void>();
    const holding = other.transaction(() => held.promise);
    await setImmediate();
    await setImmediate();

    await expect(perform(driver, write, { id: 1 })).rejects.toMatchObject({
      name: "StoreUnavailableError",
      code: "CS_STORE_UNAVAILABLE",
      outcome: "undone",
    });
    held.resolve();
    await holding;
    expect(await perform(driver, write, { id: 1 })).toBe(1);
  });

  it("is begun anew by the next call after it has ended", async () => {
    const driver = await openNotes();
    const [ended] = await Promise.allSettled([perform(driver, end, { id: 1 })]);

    expect(ended).toMatchObject({ reason: { outcome: "unknown" } });
    expect(ended).toHaveProperty("reason", expect.any(StoreUnavailableError));
    expect(await perform(driver, write, { id: 2 })).toBe(2);
    expect(await notes(driver)).toEqual(["2 aside"]);
  });

  it("finishes what was asked for when its driver is closed, and takes no more", async () => {
    const driver = await openNotes();
    const written = perform(driver, write, { id: 1, holdMs: 20 });
    await setImmediate();
    await driver.close();

    expect(await written).toBe(1);
    await expect(perform(driver, write, { id: 2 })).rejects.toMatchObject({
      code: "CS_STORE_UNAVAILABLE",
    });
  });
});
