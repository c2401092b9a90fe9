import { describe, expect, it } from "vitest";
import type { Driver } from "../../src/store/driver.ts";
import type { OpenStore } from "./stores.ts";

const write = (driver: Driver, id: number, text = "x"): Promise<unknown> =>
  driver.transaction((tx) => tx.query("INSERT INTO notes (id, text) VALUES ($1, $2)", [id, text]));
const ids = async (driver: Driver): Promise<number[]> =>
  (await driver.query<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);

/** What a driver does, whatever its store. */
export function driverSuite(store: OpenStore): void {
  /** A driver of a database with the table `notes (id, text)`. */
  async function openNotes(): Promise<Driver> {
    const driver = await store.open();
    await driver.transaction((tx) =>
      tx.query("CREATE TABLE notes (id bigint PRIMARY KEY, text text NOT NULL)"),
    );
    return driver;
  }

  describe("a transaction", () => {
    it("keeps what it wrote, and answers with its function's value", async () => {
      const driver = await openNotes();
      const value = await driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES ($1, $2)", [1, "x"]);
        return "done";
      });
      expect(value).toBe("done");
      expect(await ids(driver)).toEqual([1]);
    });

    it("takes back its own writes alone when it fails, and passes its error on", async () => {
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

    it("reads what it wrote itself; others read it after COMMIT", async () => {
      const driver = await openNotes();
      // PGlite's one connection cannot read beside the transaction.
      const others = store.name === "PGlite" ? async () => [] : () => ids(driver);
      const seen = await driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
        return [await tx.query("SELECT id FROM notes"), await others()];
      });
      expect(seen).toEqual([[{ id: 1 }], []]);
      expect(await ids(driver)).toEqual([1]);
    });

    it("is undone where a statement failed, also where its function goes on", async () => {
      const driver = await openNotes();
      await write(driver, 1);
      const outcome = driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES (2, 'x')");
        await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')").catch(() => undefined);
        return "nothing happened";
      });
      await expect(outcome).rejects.toThrow(/notes/);
      expect(await ids(driver)).toEqual([1]);
      await write(driver, 3);
      expect(await ids(driver)).toEqual([1, 3]);
    });

    it("is undone where a statement fails that nobody waits for", async () => {
      const driver = await openNotes();
      await write(driver, 1);
      const outcome = driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES (2, 'x')");
        void tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')").catch(() => undefined);
      });
      await expect(outcome).rejects.toBeInstanceOf(Error);
      expect(await ids(driver)).toEqual([1]);
    });

    it("passes on what its function makes of a failed statement", async () => {
      const driver = await openNotes();
      await write(driver, 1);
      const outcome = driver.transaction(async (tx) => {
        await tx.query("INSERT INTO notes (id, text) VALUES (1, 'x')").catch((cause: unknown) => {
          throw new RangeError("taken", { cause });
        });
      });
      await expect(outcome).rejects.toThrow(new RangeError("taken"));
    });

    it("is answered with CS_STORE_UNAVAILABLE when COMMIT fails, and nothing is stored", async () => {
      const driver = await openNotes();
      await driver.transaction(async (tx) => {
        await tx.query("CREATE TABLE parents (id bigint PRIMARY KEY)");
        // A deferred constraint is judged by COMMIT alone: the one way to make COMMIT itself fail.
        await tx.query(`CREATE TABLE children (parent bigint REFERENCES parents (id)
          DEFERRABLE INITIALLY DEFERRED)`);
      });
      await expect(
        driver.transaction((tx) => tx.query("INSERT INTO children (parent) VALUES (7)")),
      ).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE", outcome: "undone" });
      expect(await driver.query("SELECT parent FROM children")).toEqual([]);
      await write(driver, 2);
      expect(await ids(driver)).toEqual([2]);
    });

    it("is closed once its function has settled", async () => {
      const driver = await openNotes();
      const kept = await driver.transaction(async (tx) => ({ tx }));
      await expect(kept.tx.query("SELECT 1")).rejects.toBeInstanceOf(TypeError);
    });

    it("never loses an update to another one that read the same row", async () => {
      const driver = await openNotes();
      await write(driver, 1, "0");
      const increase = () =>
        driver.transaction(async (tx) => {
          const [row] = await tx.query<{ text: string }>(
            "SELECT text FROM notes WHERE id = 1 FOR UPDATE",
          );
          await tx.query("UPDATE notes SET text = $1 WHERE id = 1", [`${Number(row?.text) + 1}`]);
        });
      await Promise.all(Array.from({ length: 30 }, increase));
      expect(await driver.query("SELECT text FROM notes")).toEqual([{ text: "30" }]);
    });

    it("writes a row of a key once, whoever else writes it", async () => {
      const driver = await openNotes();
      const inserted = await Promise.all(
        Array.from({ length: 30 }, (_, by) =>
          driver.transaction((tx) =>
            tx.query(
              "INSERT INTO notes (id, text) VALUES (1, $1) ON CONFLICT DO NOTHING RETURNING id",
              [`${by}`],
            ),
          ),
        ),
      );
      expect(inserted.flat()).toEqual([{ id: 1 }]);
    });
  });

  describe("an exclusive transaction", () => {
    it("never runs beside another one", async () => {
      const driver = await openNotes();
      let running = 0;
      let most = 0;
      await Promise.all(
        [1, 2, 3, 4].map((id) =>
          driver.exclusive(async (tx) => {
            most = Math.max(most, ++running);
            await tx.query("INSERT INTO notes (id, text) VALUES ($1, 'x')", [id]);
            running--;
          }),
        ),
      );
      expect(most).toBe(1);
      expect(await ids(driver)).toEqual([1, 2, 3, 4]);
    });
  });

  describe("a query outside a transaction", () => {
    it("cannot write", async () => {
      const driver = await openNotes();
      const writing = driver.query("INSERT INTO notes (id, text) VALUES (1, 'x')");
      await expect(writing).rejects.toThrow(/read-?only/);
      expect(await ids(driver)).toEqual([]);
    });

    it("rejects where the statement is at fault, and the next one runs", async () => {
      const driver = await openNotes();
      await expect(driver.query("SELECT nonsense FROM notes")).rejects.toThrow(/nonsense/);
      expect(await ids(driver)).toEqual([]);
    });

    it("binds parameters by number, in any order and more than once", async () => {
      const driver = await openNotes();
      const text = "SELECT CAST($2 AS text) AS b, CAST($1 AS bigint) AS a, CAST($2 AS text) AS c";
      expect(await driver.query(text, [1n, "two"])).toEqual([{ a: 1, b: "two", c: "two" }]);
    });

    it("gives back the text and the integers that were stored", async () => {
      const driver = await openNotes();
      const text = "ä 😀 \u2028 '\"\\ $1 \u0001\r\n\t";
      const id = Number.MAX_SAFE_INTEGER;
      await write(driver, id, text);
      await write(driver, -id, "");
      expect(await driver.query("SELECT id, text FROM notes ORDER BY id")).toEqual([
        { id: -id, text: "" },
        { id, text },
      ]);
    });

    it("finds nothing by a text with NUL, as strangers send it, and goes on", async () => {
      const driver = await openNotes();
      await write(driver, 1, "a");
      expect(await driver.query("SELECT id FROM notes WHERE text = $1", ["a\0"])).toEqual([]);
      expect(await ids(driver)).toEqual([1]);
    });

    it("rejects rather than round an integer beyond 2^53", async () => {
      const driver = await openNotes();
      await expect(driver.query("SELECT 9007199254740993 AS n")).rejects.toThrow(RangeError);
    });
  });

  describe("a closed driver", () => {
    it("has committed what was asked for before, and takes nothing after", async () => {
      const driver = await openNotes();
      let committed = 0;
      const before = [1, 2, 3].map((id) => write(driver, id).then(() => (committed += 1)));
      const closing = driver.close();
      for (const after of [write(driver, 4), driver.query("SELECT 1")]) {
        await expect(after).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
      }
      await Promise.all([closing, driver.close()]);
      expect(committed).toBe(3);
      await Promise.all(before);
    });
  });
}
