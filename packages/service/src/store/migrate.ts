import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Driver, Queryable, Sql } from "./driver.ts";

/** The database holds a migration that this version does not know, or knows with another text. */
export class StoreVersionError extends Error {
  readonly code = "CS_STORE_VERSION";
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

export interface MigrateOptions {
  /** Milliseconds since 1970, recorded with each migration. */
  readonly now: number;
  /** True refuses a database without tables. Default false. */
  readonly mustExist?: boolean;
  /** Folder of `NNNN-name.sql` files. Default: this package's. */
  readonly folder?: URL;
}

interface Migration {
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly Sql[];
}

/**
 * Runs a database's missing migrations in the order of their numbers, all in one transaction. Processes
 * that start together wait for each other; one that waits longer than a second emits a process warning.
 *
 * On PostgreSQL, connecting, BEGIN and each request for the lock have the driver's time limits. The migrations' own
 * statements have none, since a large table may take hours: a server that hangs within one ends it only if
 * TCP keep-alive gets no answer either.
 *
 * @returns The names of the migrations that ran.
 * @throws {StoreVersionError} `CS_STORE_VERSION`: the database was made by a newer version, or a
 *   migration that it holds has been edited since; or it must exist and has no tables.
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: the database cannot be reached or does not answer.
 */
export async function migrate(driver: Driver, options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(
    options.folder ?? new URL("../../migrations/", import.meta.url),
  );
  return driver.exclusive(async (tx) => {
    const applied = await appliedMigrations(tx);
    if (options.mustExist === true && applied.size === 0) {
      throw new StoreVersionError("the database has no tables of this service");
    }
    refuseUnknown(applied, migrations);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of missing) await apply(tx, migration, options.now);
    return missing.map(({ name }) => name);
  });
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      const checksum = createHash("sha256").update(text).digest("hex");
      return { name, checksum, statements: statementsOf(text) };
    }),
  );
}

/** The statements of a migration; lines that begin with `-- sqlite:` or `-- postgres:` are for that database. */
function statementsOf(text: string): Sql[] {
  const sqlite = splitStatements(text.replaceAll("-- sqlite:", ""));
  const postgres = splitStatements(text.replaceAll("-- postgres:", ""));
  const count = Math.max(sqlite.length, postgres.length);
  return Array.from({ length: count }, (_, index) => ({
    sqlite: sqlite[index] ?? "SELECT 1",
    postgres: postgres[index] ?? "SELECT 1",
  }));
}

/**
 * Splits a migration into statements without comments. It knows `--` comments and `'…'` literals: a
 * migration must not hide a semicolon in anything else.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = "";
  for (const [token] of sql.matchAll(/--[^\n]*|'(?:[^']|'')*'|;|[^;'-]+|-/g)) {
    if (token.startsWith("--")) continue;
    if (token === ";") {
      statements.push(current.trim());
      current = "";
    } else {
      current += token;
    }
  }
  statements.push(current.trim());
  return statements.filter((statement) => statement !== "");
}

async function appliedMigrations(tx: Queryable): Promise<Map<string, string>> {
  await tx.query(`CREATE TABLE IF NOT EXISTS migrations
    (name text PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)`);
  const rows = await tx.query<{ name: string; checksum: string }>(
    "SELECT name, checksum FROM migrations",
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

function refuseUnknown(applied: ReadonlyMap<string, string>, known: readonly Migration[]): void {
  const checksums = new Map(known.map(({ name, checksum }) => [name, checksum]));
  for (const [name, checksum] of applied) {
    if (checksums.get(name) === checksum) continue;
    throw new StoreVersionError(
      checksums.has(name)
        ? `migration ${name} has been edited since it ran on this database`
        : `the database holds migration ${name} of a newer version`,
    );
  }
}

async function apply(tx: Queryable, migration: Migration, now: number): Promise<void> {
  for (const statement of migration.statements) {
    await tx.query(statement);
  }
  await tx.query("INSERT INTO migrations (name, checksum, applied_at) VALUES ($1, $2, $3)", [
    migration.name,
    migration.checksum,
    now,
  ]);
}
