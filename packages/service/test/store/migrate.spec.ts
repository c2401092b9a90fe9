import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { migrate, splitStatements } from "../../src/store/migrate.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";

/** A new database, and a folder of migrations that the test may edit. */
function openWithOwnFolder() {
  const file = temporaryDatabase();
  const path = join(dirname(file), "migrations");
  mkdirSync(path);
  cpSync(new URL("../../migrations/", import.meta.url), path, { recursive: true });
  const driver = sqliteDriver(file);
  onTestFinished(() => driver.close());
  return {
    driver,
    folder: pathToFileURL(`${path}/`),
    put: (name: string, sql: string) => writeFileSync(join(path, name), sql),
  };
}

describe("migrate", () => {
  it("runs a later migration on a database that has the earlier ones", async () => {
    const { driver, folder, put } = openWithOwnFolder();
    await migrate(driver, { now: 1, folder });
    put("0900-more.sql", "CREATE TABLE more (id text); INSERT INTO more VALUES ('a;b -- c');");
    expect(await migrate(driver, { now: 2, folder })).toEqual(["0900-more.sql"]);
    expect(await driver.query("SELECT id FROM more")).toEqual([{ id: "a;b -- c" }]);
    const text = "-- a; b\nSELECT 'x;''y--' - 1; -- c\nSELECT 2 -- d;";
    expect(splitStatements(text)).toEqual(["SELECT 'x;''y--' - 1", "SELECT 2"]);
  });

  it("leaves nothing of a migration that fails", async () => {
    const { driver, folder, put } = openWithOwnFolder();
    put("0900-broken.sql", "CREATE TABLE more (id text); CREATE TABLE more (id text);");
    await expect(migrate(driver, { now: 1, folder })).rejects.toThrow(/already exists/);
    expect(await driver.query("SELECT name FROM sqlite_master")).toEqual([]);
  });

  it("refuses a database of a newer version, or with an edited migration, with CS_STORE_VERSION", async () => {
    const { driver, folder, put } = openWithOwnFolder();
    const refused = { code: "CS_STORE_VERSION" };
    put("0900-more.sql", "CREATE TABLE more (id text);");
    await migrate(driver, { now: 1, folder });
    await expect(migrate(driver, { now: 2 })).rejects.toMatchObject(refused);
    put("0900-more.sql", "CREATE TABLE more (id bigint);");
    await expect(migrate(driver, { now: 2, folder })).rejects.toMatchObject(refused);
  });
});
