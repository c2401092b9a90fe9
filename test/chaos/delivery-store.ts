import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import {
  clients,
  postgresBinaries,
  sharedPostgres,
  startPostgres,
} from "../../packages/receiver/test/inboxes/servers.ts";
import { temporaryDatabase } from "../../packages/service/test/temporary-database.ts";
import { onTestFinished } from "vitest";

export interface ChaosStore {
  /** Its path or URL for a process. */
  readonly database: string;
  readonly driver: Driver;
}

/** An empty SQLite file that lasts as long as the test. */
export function sqliteStore(): ChaosStore {
  const database = temporaryDatabase();
  const driver = sqliteDriver(database);
  onTestFinished(() => driver.close());
  return { database, driver };
}

export const isPostgresMissing: boolean = postgresBinaries === undefined;

/** An empty database of a separate PostgreSQL, which lasts as long as the test. */
export async function postgresStore(): Promise<ChaosStore> {
  const open = await storesOf("postgres");
  const store = await open();
  onTestFinished(() => store.driver.close());
  return store;
}

/**
 * Returns a function that makes the empty databases of a campaign's rounds, which close their drivers. A PostgreSQL
 * lasts as long as the test.
 */
export async function storesOf(kind: "sqlite" | "postgres"): Promise<() => Promise<ChaosStore>> {
  if (kind === "sqlite") return async () => sqliteStore();
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const admin = await clients.postgres(server.port, "postgres");
  onTestFinished(() => admin.end());
  let made = 0;
  return async () => {
    const name = `round_${String((made += 1))}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const database = `postgres://postgres@127.0.0.1:${String(server.port)}/${name}`;
    return { database, driver: postgresDriver({ url: database }) };
  };
}

/** As many empty databases of the run's PostgreSQL, which no test may kill. They last as long as the test. */
export async function sharedStores(count: number): Promise<ChaosStore[]> {
  const server = await sharedPostgres();
  onTestFinished(() => server.stop());
  const stores: ChaosStore[] = [];
  while (stores.length < count) {
    const database = server.urlOf(await server.create());
    const driver = postgresDriver({ url: database });
    onTestFinished(() => driver.close());
    stores.push({ database, driver });
  }
  return stores;
}
