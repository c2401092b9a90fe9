import {
  StoreUnavailableError,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
} from "../src/store/driver.ts";

/** A driver whose disk breaks when a test says so. */
export class FailingDriver implements Driver {
  readonly #driver: Driver;
  /** The next COMMIT takes everything back. */
  failCommit = false;
  /** The statement of this number, from 1, of the next transaction fails. */
  failStatement: number | undefined;
  /** Statements that the last transaction ran. */
  statements = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  query<Row>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]> {
    return this.#driver.query<Row>(sql, params);
  }

  async transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    const failCommit = this.failCommit;
    const failStatement = this.failStatement;
    try {
      return await this.#driver.transaction(async (tx) => {
        this.statements = 0;
        const value = await run({
          query: (sql, params) => {
            if (++this.statements === failStatement) throw new Error("the disk is broken");
            return tx.query(sql, params);
          },
        });
        if (failCommit) throw new StoreUnavailableError("COMMIT failed");
        return value;
      });
    } finally {
      this.failStatement = undefined;
    }
  }

  exclusive<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#driver.exclusive(run);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}
