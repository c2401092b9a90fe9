const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * A stranger's text for a terminal: control characters and what turns the writing direction are
 * escaped, so that an answer cannot draw, hide or run anything there.
 */
export function printable(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/**
 * JSON on one line for a terminal: what `JSON.stringify` leaves of such characters is escaped as JSON
 * escapes, and read again it is the same value. So is the `##[` that a build server takes for a command.
 */
export function printableJson(value: object): string {
  return JSON.stringify(value)
    .replaceAll(UNSEEN, (character) =>
      character
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
    )
    .replaceAll(/#(?=#\w*\[)/g, String.raw`\u0023`);
}

/** Lines of a table: each column is as wide as its longest cell. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Lines of labels and values. */
export const inRows = (rows: Readonly<Record<string, string>>): readonly string[] =>
  inColumns(Object.entries(rows));
