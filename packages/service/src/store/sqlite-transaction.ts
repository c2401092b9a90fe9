import { textOf, type Queryable, type Sql, type SqlValue } from "./driver.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** The writer, lent to one call. */
export class SqliteTransaction implements Queryable {
  readonly #writer: SqliteConnection;
  #open = true;
  /** The first statement that failed. SQLite would go on after it; a server does not. */
  failure: { readonly error: unknown } | undefined;

  constructor(writer: SqliteConnection) {
    this.#writer = writer;
  }

  async query<Row>(sql: Sql, params: readonly SqlValue[] = []): Promise<Row[]> {
    // Afterwards the connection is in a neighbour's transaction.
    if (!this.#open) throw new TypeError("the transaction is over: await every query inside it");
    try {
      return this.#writer.run(textOf(sql, "sqlite"), params) as Row[];
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  close(): void {
    this.#open = false;
  }
}
