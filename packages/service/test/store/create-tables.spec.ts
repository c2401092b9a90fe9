import { expect, it } from "vitest";
import { createTables } from "../../src/store/create-tables.ts";
import { inCi, onStores, postgres, sqlite } from "./stores.ts";

onStores([sqlite, inCi(postgres)], ({ open }) => {
  it("several processes create the tables of an empty database once, and a later start changes nothing", async () => {
    const driver = await open();
    await Promise.all([1, 2, 3].map(() => createTables(driver)));
    await createTables(driver);
    expect(await driver.query("SELECT id FROM clocks")).toEqual([{ id: "live" }]);
  });

  it("a database with the tables of another version is rejected with CS_STORE_VERSION", async () => {
    const driver = await open();
    await createTables(driver);
    await driver.transaction((tx) => tx.query("UPDATE schema_version SET version = 99"));
    await expect(createTables(driver)).rejects.toMatchObject({
      code: "CS_STORE_VERSION",
      message: expect.stringContaining("99") as string,
    });
  });
});
