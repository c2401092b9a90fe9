import { describe, expect, it } from "vitest";
import { Housekeeping } from "../src/housekeeping.ts";
import type { Driver } from "../src/store/driver.ts";
import { migrate } from "../src/store/migrate.ts";
import { insertToken } from "../src/store/tables/tokens.ts";
import { failCommit, hookedDriver, type DriverHooks } from "./hooked-driver.ts";
import { ManualClock } from "./manual-clock.ts";
import { insert } from "./store/rows.ts";
import { onStores, postgres, sqlite } from "./store/stores.ts";

const NOW = 1_000_000;

async function addTokens(driver: Driver, expiries: readonly (number | null)[]): Promise<void> {
  await migrate(driver, { now: NOW });
  await driver.transaction(async (tx) => {
    await insert(tx, "merchants", { id: "m" });
    for (const [index, expiresAt] of expiries.entries()) {
      const token = { hash: `${index}`, merchantId: "m", clientId: null, scopes: ["core"] };
      await insertToken(tx, { ...token, createdAt: 0, expiresAt });
    }
  });
}

const left = async (driver: Driver): Promise<string[]> => {
  const rows = await driver.query<{ hash: string }>("SELECT hash FROM tokens ORDER BY hash");
  return rows.map(({ hash }) => hash);
};

/** Keeps house until nothing expired is left or a round has failed. @returns The failures. */
async function keepHouse(driver: Driver): Promise<unknown[]> {
  const failures: unknown[] = [];
  const failed = (error: unknown): number => failures.push(error);
  const keeper = new Housekeeping({ driver, clock: new ManualClock(NOW), failed });
  const expired = (): Promise<unknown[]> =>
    driver.query("SELECT hash FROM tokens WHERE expires_at <= $1", [NOW]);
  keeper.start();
  await expect
    .poll(async () => failures.length > 0 || (await expired()).length === 0, { timeout: 10_000 })
    .toBe(true);
  await keeper.stop();
  return failures;
}

onStores([sqlite, postgres], ({ open }) => {
  describe("housekeeping", () => {
    it("deletes all expired tokens in batches, and no other token", async () => {
      const driver = await open();
      const expired = Array.from({ length: 1100 }, (_, index) => NOW - index);
      await addTokens(driver, [NOW + 1, null, ...expired]);
      expect(await keepHouse(driver)).toEqual([]);
      expect(await left(driver)).toEqual(["0", "1"]);
    });

    it("reports a failed round and deletes nothing in it", async () => {
      const hooks: DriverHooks = {};
      const driver = hookedDriver(await open(), hooks);
      await addTokens(driver, [NOW - 1]);
      hooks.commit = failCommit;
      expect(await keepHouse(driver)).toMatchObject([{ code: "CS_STORE_UNAVAILABLE" }]);
      expect(await left(driver)).toEqual(["0"]);
    });
  });
});
