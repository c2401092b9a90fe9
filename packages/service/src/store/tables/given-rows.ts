import type { Sql } from "../driver.ts";

/** The columns of rows that one parameter holds, with the types of tables' columns. */
export type Columns = Readonly<Record<string, "text" | "bigint">>;

/**
 * A statement about many rows, which its parameter `$1` holds as `rowsParameter` writes them: one text and
 * one plan for a group of any size.
 *
 * @param write The text, given the query of the rows.
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

/** @param rows Of each the columns as members; what is missing is NULL. */
export function rowsParameter(
  rows: readonly Readonly<Record<string, string | number | null>>[],
): string {
  const text = JSON.stringify(rows);
  // PostgreSQL keeps no NUL in a text.
  return text.includes(String.raw`\u0000`) ? JSON.stringify(rows, withoutNul) : text;
}

const withoutNul = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
