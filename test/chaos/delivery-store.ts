import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import { postgresBinaries, startPostgres } from "../../packages/receiver/test/inboxes/servers.ts";
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
