import fc from "fast-check";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { StoreUnavailableError, type Driver } from "../../src/store/driver.ts";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";

/** A driver over a new file with the table `notes (id, text)`. */
async function openNotes(): Promise<{ driver: Driver; file: string }> {
  const file = temporaryDatabase();
  const driver = sqliteDriver(file, { busyMs: 0 });
  onTestFinished(() => driver.close());
  await driver.transaction((tx) =>
    tx.query("CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL)"),
  );
  return { driver, file };
}

const write = (driver: Driver, id: number, text = "x"): Promise<unknown> =>
  driver.transaction((tx) => tx.query("INSERT INTO notes (id, text) VALUES ($1, $2)", [id, text]));
const ids = async (driver: Driver): Promise<number[]> =>
  (await driver.query<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);

describe("a transaction on SQLite", () => {
  it("keeps what it wrote when the file is opened again", async () => {
    const { driver, file } = await openNotes();
    await write(driver, 1);
    await driver.close();

    const again = sqliteDriver(file);
    expect(await ids(again)).toEqual([1]);
    await again.close();
  });

  it("takes back its own writes alone when it fails, and passes its error on", async () => {
    const { driver } = await openNotes();
    const outcomes = await Promise.allSettled([
      write(driver, 1),
      driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES (2, 'half')");
        throw new RangeError("the caller's own");
      }),
      write(driver, 3),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { name: "RangeError" } });
    expect(await ids(driver)).toEqual([1, 3]);
  });

  it("is not answered before COMMIT, and its rows are not read before it either", async () => {
    const { driver } = await openNotes();
    const order: string[] = [];
    const first = driver.transaction(async (tx) => {
      await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
      order.push(`first wrote, committed rows ${(await ids(driver)).length}`);
    });
    const second = driver.transaction(async (tx) => {
      const rows = await tx.query("SELECT id FROM notes");
      order.push(`second sees ${rows.length}`);
    });
    await Promise.all([
      first.then(() => order.push("first answered")),
      second.then(() => order.push("second answered")),
    ]);

    expect(order).toEqual([
      "first wrote, committed rows 0",
      "second sees 1",
      "first answered",
      "second answered",
    ]);
  });

  it("shares one COMMIT with every other of the same turn", async () => {
    const { driver } = await openNotes();
    const seen = new Set<number>();
    await Promise.all(
      Array.from({ length: 50 }, (_, id) =>
        driver.transaction(async (tx) => {
          await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [id]);
          seen.add((await ids(driver)).length);
        }),
      ),
    );
    // Readers saw no row until the one COMMIT made all fifty visible.
    expect([...seen]).toEqual([0]);
    expect(await ids(driver)).toHaveLength(50);
  });

  it("never runs between the statements of another one", async () => {
    const { driver } = await openNotes();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(6), { minLength: 2, maxLength: 8 }), async (pauses) => {
        let running = 0;
        let most = 0;
        await Promise.all(
          pauses.map((pause) =>
            driver.transaction(async (tx) => {
              most = Math.max(most, ++running);
              for (let i = 0; i <= pause; i++) await tx.query("SELECT 1");
              running--;
            }),
          ),
        );
        expect(most).toBe(1);
      }),
      { numRuns: 30 },
    );
  });

  it("is refused with CS_STORE_UNAVAILABLE while another process holds the file", async () => {
    const { driver, file } = await openNotes();
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");

    await expect(write(driver, 1)).rejects.toBeInstanceOf(StoreUnavailableError);
    other.exec("ROLLBACK");
    other.close();
    await write(driver, 2);
    expect(await ids(driver)).toEqual([2]);
  });

  it("answers every call of its group with CS_STORE_UNAVAILABLE when COMMIT fails", async () => {
    const { driver } = await openNotes();
    await driver.transaction(async (tx) => {
      await tx.query("CREATE TABLE parents (id bigint PRIMARY KEY)");
      // A deferred constraint is judged by COMMIT alone: the one way to make COMMIT itself fail.
      await tx.query(`CREATE TABLE children (parent bigint REFERENCES parents (id)
        DEFERRABLE INITIALLY DEFERRED)`);
    });
    const outcomes = await Promise.allSettled([
      write(driver, 1),
      driver.transaction((tx) => tx.query("INSERT INTO children (parent) VALUES (7)")),
      driver.transaction(() => Promise.reject(new RangeError("had seen the others"))),
    ]);

    const refused = { status: "rejected", reason: { code: "CS_STORE_UNAVAILABLE" } };
    expect(outcomes).toMatchObject([refused, refused, refused]);
    expect(await ids(driver)).toEqual([]);
    await write(driver, 2);
    expect(await ids(driver)).toEqual([2]);
  });

  it("takes its whole group with it, with CS_STORE_UNAVAILABLE, when the disk is full", async () => {
    const { driver } = await openNotes();
    await driver.transaction((tx) => tx.query("PRAGMA max_page_count = 10"));
    const outcomes = await Promise.allSettled([
      write(driver, 1),
      write(driver, 2, "x".repeat(200_000)),
      write(driver, 3),
    ]);
    const refused = { status: "rejected", reason: { code: "CS_STORE_UNAVAILABLE" } };
    expect(outcomes).toMatchObject([refused, refused, refused]);
    expect(await ids(driver)).toEqual([]);
    await write(driver, 4);
    expect(await ids(driver)).toEqual([4]);
  });

  it("is flushed to disk by COMMIT and keeps references whole", async () => {
    const { driver } = await openNotes();
    const settings = await driver.transaction(async (tx) => [
      ...(await tx.query("PRAGMA journal_mode")),
      ...(await tx.query("PRAGMA synchronous")),
      ...(await tx.query("PRAGMA foreign_keys")),
    ]);
    // 2 is FULL.
    expect(settings).toEqual([{ journal_mode: "wal" }, { synchronous: 2 }, { foreign_keys: 1 }]);
  });

  it("is closed once its function has settled", async () => {
    const { driver } = await openNotes();
    const kept = await driver.transaction(async (tx) => ({ tx }));
    await expect(kept.tx.query("SELECT 1")).rejects.toBeInstanceOf(TypeError);
  });
});

describe("a query outside a transaction", () => {
  it("cannot write", async () => {
    const { driver } = await openNotes();
    await expect(driver.query("INSERT INTO notes (id, text) VALUES (1, 'x')")).rejects.toThrow(
      /readonly/,
    );
  });

  it("binds parameters by number, in any order and more than once", async () => {
    const { driver } = await openNotes();
    expect(await driver.query("SELECT $2 AS b, $1 AS a, $2 AS c", [1n, "two"])).toEqual([
      { a: 1, b: "two", c: "two" },
    ]);
  });

  it("drops row locks, which SQLite does not know", async () => {
    const { driver } = await openNotes();
    await write(driver, 1);
    const rows = await driver.transaction((tx) =>
      tx.query("SELECT id FROM notes WHERE id = $1 FOR UPDATE SKIP LOCKED", [1]),
    );
    expect(rows).toEqual([{ id: 1 }]);
  });

  it("rejects rather than round an integer beyond 2^53", async () => {
    const { driver } = await openNotes();
    await expect(driver.query("SELECT 9007199254740993 AS n")).rejects.toThrow(RangeError);
  });
});

describe("a closed driver", () => {
  it("has committed what was asked for before, and takes nothing after", async () => {
    const { driver, file } = await openNotes();
    const before = write(driver, 1);
    const closing = driver.close();
    const after = write(driver, 2);

    await expect(after).rejects.toBeInstanceOf(StoreUnavailableError);
    await Promise.all([before, closing, driver.close()]);
    const again = sqliteDriver(file);
    expect(await ids(again)).toEqual([1]);
    await again.close();
  });

  it.each(["", ":memory:", "file::memory:?cache=shared"])("is never made for %j", (file) => {
    expect(() => sqliteDriver(file)).toThrow(TypeError);
  });
});
