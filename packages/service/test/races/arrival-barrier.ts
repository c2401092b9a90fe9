import type { Driver, Queryable, Sql, SqlValue } from "../../src/store/driver.ts";

/**
 * A driver that keeps calls waiting at the store's door until so many have arrived. Calls over HTTP
 * that are sent at one time arrive one by one, and the first is often done before the last is there.
 */
export class ArrivalBarrier implements Driver {
  readonly #driver: Driver;
  #wanted = 0;
  #waiting: (() => void)[] = [];

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  /** The next calls wait for each other, until so many have asked for their first rows. */
  holdUntil(calls: number): void {
    this.#wanted = calls;
  }

  async query<Row>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]> {
    if (this.#wanted > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        if (this.#waiting.length === this.#wanted) this.#open();
      });
    }
    return this.#driver.query<Row>(sql, params);
  }

  transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#driver.transaction(run);
  }

  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#driver.exclusive(run);
  }

  close(): Promise<void> {
    this.#open();
    return this.#driver.close();
  }

  #open(): void {
    this.#wanted = 0;
    for (const go of this.#waiting.splice(0)) go();
  }
}
