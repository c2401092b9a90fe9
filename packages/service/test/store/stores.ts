import pg from "pg";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { postgresBinaries, sharedPostgres } from "../../../receiver/test/inboxes/servers.ts";
import type { Driver } from "../../src/store/driver.ts";
import { postgresDriver } from "../../src/store/postgres/driver.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { temporaryDatabase } from "../temporary-database.ts";

/** Limits have their own tests; the others must pass on a busy machine. */
const PATIENT = { connectMs: 60_000, lockMs: 60_000, statementMs: 60_000 };

/** A kind of database that runs as long as a suite. */
export interface RunningStore {
  /** A new, empty database. @returns Its address: a path or a URL. */
  readonly create: () => Promise<string>;
  /** An empty database, whose address may be that of an earlier one. Default: `create`. */
  readonly empty?: () => Promise<string>;
  /** A driver of a database; the caller closes it. */
  readonly connect: (address: string) => Driver;
  readonly stop: () => void | Promise<void>;
}

export interface Store {
  readonly name: string;
  /** The reason to skip it here. */
  readonly missing?: string;
  readonly tags?: string[];
  readonly start: () => Promise<RunningStore>;
}

/** Leaves a store to CI, where a suite repeats on it what another suite shows. */
export const inCi = (store: Store): Store => ({ ...store, tags: ["ci"] });

export interface OpenStore {
  readonly name: string;
  readonly create: () => Promise<string>;
  readonly open: (address?: string) => Promise<Driver>;
}

export const sqlite: Store = {
  name: "SQLite",
  start: async () => ({
    create: async () => temporaryDatabase(),
    connect: (address) => sqliteDriver(address),
    stop: () => {},
  }),
};

export const postgres: Store = {
  name: "PostgreSQL",
  ...(postgresBinaries === undefined && { missing: "PostgreSQL is not installed" }),
  start: async () => {
    const server = await sharedPostgres();
    const create = async (): Promise<string> => server.urlOf(await server.create());
    const connect = (url: string): Driver => postgresDriver({ url, ...PATIENT });
    let own: string | undefined;
    return {
      create,
      // One database for all tests of a suite, emptied each time: a new one takes ten times as long.
      empty: async () => {
        if (own === undefined) return (own = await create());
        const admin = new pg.Client(own);
        await admin.connect();
        await admin.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        await admin.end();
        return own;
      },
      connect,
      stop: () => server.stop(),
    };
  },
};

/**
 * Runs a suite on several stores. One that is missing is skipped, with the reason in its title.
 *
 * @param suite `create`: the address of an empty database. `open`: a driver of one that is empty, or of
 *   an address; closed at the end of the running test. Each `open` may empty what the one before has opened.
 */
export function onStores(stores: readonly Store[], suite: (store: OpenStore) => void): void {
  for (const { name, missing, tags = [], start } of stores) {
    const reason = missing === undefined ? "" : ` (skipped: ${missing})`;
    describe.skipIf(missing !== undefined)(`on ${name}${reason}`, { tags }, () => {
      let running: RunningStore;
      beforeAll(async () => {
        running = await start();
      }, 60_000);
      afterAll(() => running.stop());
      suite({
        name,
        create: () => running.create(),
        open: async (address) => {
          const { empty = running.create } = running;
          const driver = running.connect(address ?? (await empty()));
          onTestFinished(() => driver.close());
          return driver;
        },
      });
    });
  }
}
