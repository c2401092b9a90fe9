import { describe, expect, it } from "vitest";
import { afterCommit, type Driver } from "../../src/store/driver.ts";
import type { OpenStore } from "./stores.ts";

/** Makes the table `notes (id, text)`. */
export async function withNotes(driver: Driver): Promise<Driver> {
  await driver.transaction((tx) =>
    tx.query("CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL)"),
  );
  return driver;
}
export const write = (driver: Driver, id: number, text = "x"): Promise<unknown> =>
  driver.transaction((tx) => tx.query("INSERT INTO notes (id, text) VALUES ($1, $2)", [id, text]));
export const ids = async (driver: Driver): Promise<number[]> =>
  (await driver.query<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);
/** A table whose constraint is judged only by COMMIT: the one way to make COMMIT itself fail. */
export const withDeferred = (driver: Driver): Promise<unknown> =>
  driver.transaction(async (tx) => {
    await tx.query("CREATE TABLE parents (id bigint PRIMARY KEY)");
    await tx.query(`CREATE TABLE children (parent bigint REFERENCES parents (id)
      DEFERRABLE INITIALLY DEFERRED)`);
  });

export function driverSuite(store: OpenStore): void {
  const openNotes = async (): Promise<Driver> => withNotes(await store.open());

  describe("a transaction", () => {
    it("undoes only its own writes when its function fails, and passes the error on", async () => {
      const driver = await openNotes();
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

    it("is undone when a statement fails, also when its function ignores it, and the next one runs", async () => {
      const driver = await openNotes();
      await write(driver, 1);
      const duplicate = "INSERT INTO notes (id, text) VALUES (1, 'x')";
      const other = "INSERT INTO notes (id, text) VALUES (2, 'x')";
      const caught = driver.transaction(async (tx) => {
        await tx.query(other);
        await tx.query(duplicate).catch(() => undefined);
        return "nothing happened";
      });
      await expect(caught).rejects.toThrow(/notes/);
      const unawaited = driver.transaction(async (tx) => {
        await tx.query(other);
        void tx.query(duplicate).catch(() => undefined);
      });
      await expect(unawaited).rejects.toBeInstanceOf(Error);
      const own = driver.transaction((tx) =>
        tx.query(duplicate).catch((cause: unknown) => {
          throw new RangeError("taken", { cause });
        }),
      );
      await expect(own).rejects.toThrow(new RangeError("taken"));
      await write(driver, 3);
      expect(await ids(driver)).toEqual([1, 3]);
    });

    it("fails with CS_STORE_UNAVAILABLE when COMMIT fails, and stores nothing", async () => {
      const driver = await openNotes();
      await withDeferred(driver);
      await expect(
        driver.transaction((tx) => tx.query("INSERT INTO children (parent) VALUES (7)")),
      ).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE", outcome: "undone" });
      expect(await driver.query("SELECT parent FROM children")).toEqual([]);
      await write(driver, 2);
      expect(await ids(driver)).toEqual([2]);
    });

    it("runs its hooks after COMMIT, and never when it is undone", async () => {
      const driver = await openNotes();
      const seen: unknown[] = [];
      const insert = (id: number, error?: Error): Promise<unknown> =>
        driver.transaction(async (tx) => {
          await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [id]);
          afterCommit(tx, () => seen.push(ids(driver)));
          if (error !== undefined) throw error;
        });
      await insert(1);
      await expect(insert(2, new RangeError("the caller's own"))).rejects.toThrow(RangeError);
      expect(await Promise.all(seen)).toEqual([[1]]);
      expect(() => afterCommit(driver, () => {})).toThrow(TypeError);
    });

    it("accepts no statement after its end", async () => {
      const driver = await openNotes();
      const kept = await driver.transaction(async (tx) => ({ tx }));
      await expect(kept.tx.query("SELECT 1")).rejects.toBeInstanceOf(TypeError);
    });
  });

  describe("a query outside a transaction", () => {
    it("cannot write, and rejects an invalid statement, after which the next one runs", async () => {
      const driver = await openNotes();
      const writing = driver.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
      await expect(writing).rejects.toThrow(/read-?only/);
      await expect(driver.query("SELECT nonsense FROM notes")).rejects.toThrow(/nonsense/);
      expect(await ids(driver)).toEqual([]);
    });

    it("binds parameters by number, and returns texts and integers as they were stored", async () => {
      const driver = await openNotes();
      const sql = "SELECT CAST($2 AS text) AS b, CAST($1 AS bigint) AS a, CAST($2 AS text) AS c";
      expect(await driver.query(sql, [1n, "two"])).toEqual([{ a: 1, b: "two", c: "two" }]);
      const text = "ä 😀 \u2028 '\"\\ $1 \u0001\r\n\t";
      const id = Number.MAX_SAFE_INTEGER;
      await write(driver, id, text);
      await write(driver, -id, "");
      expect(await driver.query("SELECT id, text FROM notes ORDER BY id")).toEqual([
        { id: -id, text: "" },
        { id, text },
      ]);
      await expect(driver.query("SELECT 9007199254740993 AS n")).rejects.toThrow(RangeError);
      // A text with NUL, as strangers send it, is found nowhere.
      expect(await driver.query("SELECT id FROM notes WHERE text = $1", ["a\0"])).toEqual([]);
    });
  });

  it("a driver that closes has committed earlier requests, and accepts no later ones", async () => {
    const driver = await openNotes();
    let committed = 0;
    const before = [1, 2, 3].map((id) => write(driver, id).then(() => (committed += 1)));
    const closing = driver.close();
    for (const after of [write(driver, 4), driver.query("SELECT 1")])
      await expect(after).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
    await Promise.all([closing, driver.close()]);
    expect(committed).toBe(3);
    await Promise.all(before);
  });
}
