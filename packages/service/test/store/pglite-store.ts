import { PGlite } from "@electric-sql/pglite";
import { PooledDriver } from "../../src/store/pooled-driver.ts";
import { safeInteger } from "../../src/store/safe-integer.ts";
import type { PostgresPool } from "../../src/store/postgres-pool.ts";
import type { RunningStore } from "./stores.ts";

const INT8 = 20;

/** PostgreSQL's dialect in this process. It has one connection, and each `create` empties its database. */
export async function startPglite(): Promise<RunningStore> {
  const database = await PGlite.create({ parsers: { [INT8]: safeInteger } });
  await database.exec("SET default_transaction_read_only = on");
  return {
    create: async () => {
      await database.exec(`BEGIN READ WRITE; DROP SCHEMA public CASCADE; CREATE SCHEMA public; COMMIT;
        DEALLOCATE ALL`);
      return "";
    },
    connect: () => new PooledDriver(poolOf(database)),
    stop: () => database.close(),
  };
}

/** The one connection, lent to one after the other. */
function poolOf(database: PGlite): PostgresPool {
  let last = Promise.resolve();
  return {
    connect: async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return {
        query: async ({ text, values }) => {
          const results =
            values === undefined
              ? await database.exec(text)
              : [await database.query(text, [...values])];
          const { rows = [], command = "" } = results.at(-1) ?? {};
          return { rows, command };
        },
        release: () => resolve(),
      };
    },
    end: () => last,
  };
}
