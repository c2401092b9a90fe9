/**
 * The statements of a migration file, without comments. Knows `--` comments and `'…'` literals, which
 * is all that a migration may hold of what could hide a semicolon.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = "";
  for (const [token] of sql.matchAll(/--[^\n]*|'(?:[^']|'')*'|;|[^;'-]+|-/g)) {
    if (token.startsWith("--")) continue;
    if (token === ";") {
      statements.push(current.trim());
      current = "";
    } else {
      current += token;
    }
  }
  statements.push(current.trim());
  return statements.filter((statement) => statement !== "");
}
