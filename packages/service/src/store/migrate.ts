import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { sealPlainSecrets } from "../secrets/seal-plain-secrets.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Driver, Queryable, Sql } from "./driver.ts";
import { splitStatements } from "./split-statements.ts";

/** The database holds a migration that this version does not know, or knows with another text. */
export class StoreVersionError extends Error {
  readonly code = "CS_STORE_VERSION";
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

export interface MigrateOptions {
  /** Milliseconds since 1970, recorded beside each migration. */
  readonly now: number;
  /** Seals what earlier versions stored in the clear. Default: none, for databases without it. */
  readonly vault?: Vault;
  /** Folder of numbered `NNNN-name.sql` and `NNNN-name.postgres.sql` files. Default: the ones of this package. */
  readonly folder?: URL;
}

/** The migration with which secrets come to be sealed. */
const SEALING = "0002-sealed-secrets.sql";

/** How the names of migrations end that are PostgreSQL's alone; on SQLite they change nothing. */
const POSTGRES = ".postgres.sql";

interface Migration {
  readonly name: string;
  readonly checksum: string;
  readonly statements: readonly Sql[];
}

/**
 * Brings a database to this version's tables: all missing migrations in one transaction, in the order
 * of their numbers. Does nothing where none is missing. Processes that start together wait for each other.
 *
 * @returns The names of the migrations that ran.
 * @throws {StoreVersionError} `CS_STORE_VERSION`: the database was made by a newer version, or a
 *   migration that it holds has been edited since.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: there are secrets in the clear and nothing to seal them.
 */
export async function migrate(driver: Driver, options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(
    options.folder ?? new URL("../../migrations/", import.meta.url),
  );
  return driver.exclusive(async (tx) => {
    const applied = await appliedMigrations(tx);
    refuseUnknown(applied, migrations);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of missing) {
      await apply(tx, migration, options.now);
      if (migration.name === SEALING) await sealPlainSecrets(tx, options.vault);
    }
    return missing.map(({ name }) => name);
  });
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      const checksum = createHash("sha256").update(text).digest("hex");
      return { name, checksum, statements: statementsOf(name, text) };
    }),
  );
}

function statementsOf(name: string, text: string): Sql[] {
  const statements = splitStatements(text);
  if (!name.endsWith(POSTGRES)) return statements;
  return statements.map((postgres) => ({ postgres, sqlite: "SELECT 1" }));
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
