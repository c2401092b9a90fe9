/** A table as the formatter writes it: each column as wide as its widest cell. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll("|", String.raw`\|`)),
  );
  const widths = head.map((_, column) =>
    Math.max(...cells.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  const [first = [], ...others] = cells;
  const rule = `| ${widths.map((width) => "-".repeat(Math.max(width, 3))).join(" | ")} |`;
  return [line(first), rule, ...others.map(line)].join("\n");
}
