import {
  textOf,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
} from "../src/store/driver.ts";

/**
 * A driver whose transactions may read what was true before a neighbour's COMMIT, as they do on a
 * server under READ COMMITTED: SQLite has one writer and never shows it.
 */
export class StaleDriver implements Driver {
  readonly #driver: Driver;
  /** Changes the rows that the next transaction's first statement of this text reads. */
  stale: { readonly text: RegExp; readonly rows: (rows: unknown[]) => unknown[] } | undefined;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  query<Row>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]> {
    return this.#driver.query<Row>(sql, params);
  }

  transaction<T>(run: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#driver.transaction((tx) =>
      run({
        query: async <Row>(sql: Sql, params?: readonly SqlValue[]): Promise<Row[]> => {
          const rows = await tx.query<Row>(sql, params);
          const stale = this.stale;
          if (stale === undefined || !stale.text.test(textOf(sql, "sqlite"))) return rows;
          this.stale = undefined;
          // The test makes rows of the same columns.
          return stale.rows(rows) as Row[];
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
}
