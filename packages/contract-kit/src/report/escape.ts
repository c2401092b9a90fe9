import { terminalLine } from "@countersign/rules";

// A target's text is shown and never obeyed: each format has one function that makes it plain text.

/** Lines for a terminal. */
export function terminalLines(text: string): readonly string[] {
  return text.split(/\r?\n/).map(terminalLine);
}

/** Text or an attribute's value in double quotes, for XML 1.0, which has no control characters at all. */
export function xml(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- they are what is looked for
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\u{FFFD}")
      .toWellFormed()
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
  );
}

/** Text or an attribute's value in double quotes, for HTML. Controls and what turns the writing direction are written out. */
export function html(text: string): string {
  return terminalLines(text).map(xml).join("\n").replaceAll("'", "&#39;");
}

/**
 * Words within a line of Markdown in which nothing is markup: neither emphasis nor HTML nor a link, not even
 * one that GitHub finds in bare text (addresses, `@name`, `#1`). A line must not begin with them.
 */
export function markdown(text: string): string {
  return (
    terminalLine(text.replaceAll(/\s+/g, " "))
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll(/[\\`*_[\]|~$]/g, String.raw`\$&`)
      // A comment parts what would be read as one.
      .replaceAll(/[@#](?=\w)/g, "$&<!-- -->")
      .replaceAll(/(?:https?|ftp|mailto|www)(?=[.:])/gi, "$&<!-- -->")
  );
}

/** Words of Markdown in the form of code, within a line or a cell of a table. */
export function markdownCode(text: string): string {
  const line = terminalLine(text.replaceAll(/\s+/g, " ")).replaceAll("|", String.raw`\|`);
  const fence = "`".repeat(longestFence(line) + 1);
  // A space next to a backtick that is part of the text; it is not shown.
  const space = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** A block of Markdown that shows text as it is. */
export function markdownBlock(text: string): readonly string[] {
  const lines = terminalLines(text);
  const fence = "`".repeat(Math.max(3, longestFence(text) + 1));
  return [`${fence}text`, ...lines, fence];
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
