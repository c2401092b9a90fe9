import type { SqlValue } from "../../driver.ts";

export interface ValueRows {
  /** `VALUES (…), …`, whose parameters begin at `$1`. */
  readonly text: string;
  readonly params: SqlValue[];
}

/**
 * Rows as a list of values. It is filled up with rows of NULL to a power of two, so that a group of any size
 * finds its statement prepared: a statement compares its key, which NULL never equals.
 *
 * A statement that joins them to a table says `key || ''`, so that SQLite looks each key up in the table: for
 * many rows it would make an index of them and walk through the whole table instead.
 */
export function valueRows(
  types: readonly ("text" | "bigint")[],
  rows: readonly (readonly SqlValue[])[],
): ValueRows {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, rows.length)));
  const params: SqlValue[] = [];
  const texts: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const row = rows[index];
    const columns = types.map((type, column) => {
      const at = params.push(row?.[column] ?? null);
      return `CAST($${at} AS ${type})`;
    });
    texts.push(`(${columns.join(", ")})`);
  }
  return { text: `VALUES ${texts.join(", ")}`, params };
}
