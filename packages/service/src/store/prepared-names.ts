import type { SqlValue } from "./driver.ts";
import type { PostgresStatement } from "./postgres-pool.ts";

/** Texts kept prepared on a connection; those with a list of values come in many lengths. */
const MAX_PREPARED = 256;

/** Gives the statements that come again a name, under which a server parses and plans them once. */
export class PreparedNames {
  readonly #names = new Map<string, string>();

  named(text: string, params: readonly SqlValue[]): PostgresStatement {
    if (params.length === 0) return { text };
    const values = params.map(storable);
    let name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size >= MAX_PREPARED) return { text, values };
      name = `countersign_${this.#names.size}`;
      this.#names.set(text, name);
    }
    return { text, values, name };
  }
}

/** PostgreSQL keeps no NUL in a text, and refuses also to look for one. */
function storable(value: SqlValue): SqlValue {
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}
