import type { Sql } from "../driver.ts";

/** Columns of the rows in one parameter, with their types. */
export type Columns = Readonly<Record<string, "text" | "bigint">>;

/**
 * Builds a statement over the rows that its parameter `$1` holds (see `rowsParameter`): one text and one
 * plan for any number of rows.
 *
 * @param write Returns the text, given the query of the rows.
 */
export function givenRows(columns: Columns, write: (rows: string) => string): Exclude<Sql, string> {
  const names = Object.keys(columns);
  const members = names.map((name) => `value ->> '${name}' AS ${name}`);
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`);
  return {
    sqlite: write(`SELECT ${members.join(", ")} FROM json_each($1)`),
    postgres: write(`SELECT ${names.join(", ")}
      FROM json_to_recordset(CAST($1 AS json)) AS given (${types.join(", ")})`),
  };
}

/** Returns the parameter of `givenRows`. @param rows Columns as members; a missing member is NULL. */
export function rowsParameter(
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const text = JSON.stringify(rows);
  // PostgreSQL cannot store NUL in a text.
  return text.includes(String.raw`\u0000`) ? JSON.stringify(rows, withoutNul) : text;
}

const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
