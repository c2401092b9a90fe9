import { readFile } from "node:fs/promises";
import type { Driver, Sql } from "./driver.ts";

/** The database was made by another version of the service. */
export class StoreVersionError extends Error {
  readonly code = "CS_STORE_VERSION";
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** Grows with each change of `tables.sql`. */
const VERSION = 1;

/** Processes that start together on one PostgreSQL wait for each other. Any number, the same in every version. */
const LOCK: Sql = {
  sqlite: "SELECT 1",
  postgres: "SELECT pg_advisory_xact_lock(4070715221)",
};

/** Creates the tables of an empty database. @throws {StoreVersionError} `CS_STORE_VERSION`: another version has made them. */
export async function createTables(driver: Driver): Promise<void> {
  const text = await readFile(new URL("../../schema/tables.sql", import.meta.url), "utf8");
  await driver.transaction(async (tx) => {
    await tx.query(LOCK);
    await tx.query("CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)");
    const [made] = await tx.query<{ version: number }>("SELECT version FROM schema_version");
    if (made?.version === VERSION) return;
    if (made !== undefined)
      throw new StoreVersionError(
        `the database has tables of version ${made.version}, and this service those of version ${VERSION}`,
      );
    // oxlint-disable-next-line no-await-in-loop -- tables before those that refer to them
    for (const statement of statementsOf(text)) await tx.query(statement);
    await tx.query("INSERT INTO schema_version (version) VALUES ($1)", [VERSION]);
  });
}

/**
 * The statements of a text; lines that begin with `-- sqlite:` or `-- postgres:` are for that database. Only a
 * statement's end may have a semicolon, and only a comment two hyphens.
 */
function statementsOf(text: string): Sql[] {
  const [sqlite, postgres] = (["sqlite", "postgres"] as const).map((dialect) =>
    text
      .replaceAll(`-- ${dialect}:`, "")
      .replaceAll(/--.*$/gm, "")
      .split(";")
      .filter((statement) => statement.trim() !== ""),
  );
  const count = Math.max(sqlite?.length ?? 0, postgres?.length ?? 0);
  return Array.from({ length: count }, (_, index) => ({
    sqlite: sqlite?.[index] ?? "SELECT 1",
    postgres: postgres?.[index] ?? "SELECT 1",
  }));
}
