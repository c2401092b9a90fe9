import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import {
  postgresBinaries,
  sharedPostgres,
  startPostgres,
} from "../../packages/receiver/test/inboxes/servers.ts";
import { temporaryDatabase } from "../../packages/service/test/temporary-database.ts";
import { onTestFinished } from "vitest";

export interface ChaosStore {
  /** How a process comes to it. */
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

/** An empty PostgreSQL that lasts as long as the test. */
export async function postgresStore(): Promise<
  ChaosStore & { readonly crash: () => Promise<void> }
> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const database = `postgres://postgres@127.0.0.1:${String(server.port)}/postgres`;
  const driver = postgresDriver({ url: database });
  onTestFinished(() => driver.close());
  return { database, driver, crash: () => server.crash() };
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
