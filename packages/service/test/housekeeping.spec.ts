import { describe, expect, it } from "vitest";
import { Housekeeping } from "../src/housekeeping.ts";
import type { Driver } from "../src/store/driver.ts";
import { migrate } from "../src/store/migrate.ts";
import { insertToken } from "../src/store/operations/tokens/insert-token.ts";
import { sqliteDriver } from "../src/store/sqlite-driver.ts";
import { FailingDriver } from "./failing-driver.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";
import { temporaryDatabase } from "./temporary-database.ts";

const NOW = 1_000_000;

async function withTokens(driver: Driver, expiries: readonly (number | null)[]): Promise<void> {
  await migrate(driver, { now: NOW });
  await driver.transaction(async (tx) => {
    await tx.query(
      "INSERT INTO merchants (id, name, clock_id, created_at) VALUES ('m', 'M', 'live', 0)",
    );
    for (const [index, expiresAt] of expiries.entries()) {
      const token = { hash: `${index}`, merchantId: "m", clientId: null, scopes: ["core"] };
      await insertToken(tx, { ...token, createdAt: 0, expiresAt });
    }
  });
}

const left = async (driver: Driver): Promise<unknown[]> =>
  (await driver.query<{ hash: string }>("SELECT hash FROM tokens ORDER BY hash")).map(
    ({ hash }) => hash,
  );

/** One round: `stop` waits for the batch under way alone, so the others are waited for here. */
async function clean(driver: Driver): Promise<unknown[]> {
  const failures: unknown[] = [];
  const failed = (error: unknown): number => failures.push(error);
  const keeper = new Housekeeping({ driver, clock: { now: () => NOW }, failed });
  keeper.start();
  await expect
    .poll(async () => failures.length > 0 || !(await hasExpired(driver)), { timeout: 10_000 })
    .toBe(true);
  await keeper.stop();
  return failures;
}

const hasExpired = async (driver: Driver): Promise<boolean> =>
  (await driver.query("SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT 1", [NOW])).length > 0;

onStores([sqlite, postgres], ({ open }) => {
  describe("housekeeping", () => {
    it("deletes the tokens that have expired, and no other", async () => {
      const driver = await open();
      await withTokens(driver, [NOW - 1, NOW, NOW + 1, null]);
      expect(await clean(driver)).toEqual([]);
      expect(await left(driver)).toEqual(["2", "3"]);
    });

    it("deletes them in batches, until none is left", async () => {
      const driver = await open();
      await withTokens(
        driver,
        Array.from({ length: 1100 }, (_, index) => NOW - index),
      );
      await clean(driver);
      expect(await left(driver)).toEqual([]);
    });

    it("tells that a round failed, and deletes nothing by halves", async () => {
      const driver = new FailingDriver(await open());
      await withTokens(driver, [NOW - 1]);
      driver.failCommit = true;
      expect(await clean(driver)).toMatchObject([{ code: "CS_STORE_UNAVAILABLE" }]);
      expect(await left(driver)).toEqual(["0"]);
    });
  });
});

it("the longest expired tokens are found by an index on SQLite", async () => {
  const driver = sqliteDriver(temporaryDatabase());
  await migrate(driver, { now: NOW });
  const plan = await driver.query<{ detail: string }>(
    "EXPLAIN QUERY PLAN SELECT hash FROM tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2",
    [NOW, 1],
  );
  expect(plan.map(({ detail }) => detail).join()).toContain("USING INDEX tokens_expiring");
  await driver.close();
});
