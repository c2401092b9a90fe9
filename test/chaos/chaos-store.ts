import { postgresDriver, type Driver } from "@countersign/service";
import { onTestFinished } from "vitest";
import { clients, startPostgres } from "../../packages/receiver/test/inboxes/servers.ts";
import { outsideDriver } from "../../packages/service/test/store/outside-driver.ts";
import { postgres } from "../../packages/service/test/store/stores.ts";
import { temporaryDatabase } from "../../packages/service/test/temporary-database.ts";

export interface ChaosStore {
  /** Its path or URL for a process. */
  readonly database: string;
  readonly driver: Driver;
}

export const isPostgresMissing: boolean = postgres.missing !== undefined;
export const isInstalled = ({ store }: { readonly store: string }): boolean =>
  store === "sqlite" || !isPostgresMissing;

const lasting = (database: string, driver: Driver): ChaosStore => {
  onTestFinished(() => driver.close());
  return { database, driver };
};

/** An empty SQLite file, or an empty database of the run's PostgreSQL, that lasts as long as the test. */
export async function openStore(kind: "sqlite" | "postgres"): Promise<ChaosStore> {
  if (kind === "sqlite") {
    const database = temporaryDatabase();
    return lasting(database, outsideDriver(database));
  }
  const { create, connect, stop } = await postgres.start();
  onTestFinished(stop);
  const database = await create();
  return lasting(database, connect(database));
}

/** Returns a function that opens the empty databases of a campaign's rounds, all on one PostgreSQL of the test's own. */
export async function storesOf(kind: "sqlite" | "postgres"): Promise<() => Promise<ChaosStore>> {
  if (kind === "sqlite") return () => openStore(kind);
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const admin = await clients.postgres(server.port, "postgres");
  onTestFinished(() => admin.end());
  let made = 0;
  return async () => {
    const name = `round_${String((made += 1))}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = `postgres://postgres@127.0.0.1:${String(server.port)}/${name}`;
    return lasting(url, postgresDriver({ url }));
  };
}
