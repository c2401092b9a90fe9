import type { Scheduler } from "fast-check";
import {
  textOf,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
} from "../../src/store/driver.ts";

/**
 * A driver whose every step waits for a scheduler's word, in and outside transactions: what the steps
 * of several calls come in is the scheduler's to choose, and the same again for the same seed.
 */
export class ScheduledDriver implements Driver {
  readonly #driver: Driver;
  /** Without one, steps are taken at once. */
  scheduler: Scheduler | undefined;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  async query<Row>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]> {
    await this.#turn(sql);
    return this.#driver.query<Row>(sql, params);
  }

  async transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    await this.#turn("BEGIN");
    return this.#driver.transaction((tx) =>
      run({
        query: async (sql, params) => {
          await this.#turn(sql);
          return tx.query(sql, params);
        },
      }),
    );
  }

  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#driver.exclusive(run);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #turn(sql: Sql): Promise<void> {
    await this.scheduler?.schedule(Promise.resolve(), textOf(sql, "sqlite").trim().slice(0, 40));
  }
}
