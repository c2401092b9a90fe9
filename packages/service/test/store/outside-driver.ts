import { SqliteConnection } from "../../src/store/sqlite/connection.ts";
import {
  textOf,
  withHooks,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
} from "../../src/store/driver.ts";

/** A driver of a SQLite file that a service may use concurrently, as `sqlite3` does it. */
export function outsideDriver(file: string): Driver {
  const connection = new SqliteConnection(file, { readOnly: false, busyMs: 5000 });
  const runs: Queryable = {
    // The caller's claim about its own text, as `Queryable` says.
    query: async <Row>(sql: Sql, params: readonly SqlValue[] = []) =>
      connection.run(textOf(sql, "sqlite"), params) as Row[],
  };
  let last: Promise<unknown> = Promise.resolve();
  const transact = async <T>(run: (tx: Queryable) => Promise<T>): Promise<T> => {
    connection.exec("BEGIN IMMEDIATE");
    try {
      const value = await run(runs);
      connection.exec("COMMIT");
      return value;
    } catch (error) {
      if (connection.inTransaction) connection.exec("ROLLBACK");
      throw error;
    }
  };
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const done = last.then(call);
    last = done.catch(() => {});
    return done;
  };
  const transaction = <T>(run: (tx: Queryable) => Promise<T>): Promise<T> =>
    withHooks(run, (hooked) => inTurn(() => transact(hooked)));
  return {
    isAlone: false,
    query: (sql, params) => inTurn(() => runs.query(sql, params)),
    transaction,
    close: async () => connection.close(),
  };
}
