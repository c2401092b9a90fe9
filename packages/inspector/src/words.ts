/** Seconds as people say them: `5 s`, `30 min`, `2 h`, `3 d`. */
export function durationText(seconds: number): string {
  for (const [unit, length] of [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
  ] as const) {
    if (seconds >= length) return `${String(Math.round((seconds / length) * 10) / 10)} ${unit}`;
  }
  return `${String(Math.max(0, Math.round(seconds)))} s`;
}

/** Milliseconds of an attempt: `62 ms`, `15 s`. */
export function tookText(ms: number): string {
  return ms < 1000 ? `${String(ms)} ms` : `${String(Math.round(ms / 100) / 10)} s`;
}

/** The response of an attempt in a few words: `500 in 62 ms`, `timeout after 15 s`. */
export function responseText({
  status,
  error,
  durationMs,
}: {
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}): string {
  if (status !== null) return `${String(status)} in ${tookText(durationMs)}`;
  return `${errorWords[error ?? ""] ?? "no response"} after ${tookText(durationMs)}`;
}

const errorWords: Readonly<Record<string, string>> = {
  CS_ATTEMPT_TIMEOUT: "timeout",
  CS_ATTEMPT_CONNECTION_FAILED: "no connection",
  CS_ATTEMPT_CONNECTION_LOST: "connection lost",
  CS_ATTEMPT_NAME_UNRESOLVED: "unknown host",
  CS_ATTEMPT_TLS_FAILED: "TLS failed",
};

/** The host, port and path of a URL. */
export function shortUrl(url: string | null): string {
  return url?.replace(/^https?:\/\//, "") ?? "";
}

/** The first and last characters of a long id. */
export function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

/** Formats JSON by adding only white space between tokens, so that numbers keep their digits. */
export function formatted(text: string): string {
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  return text.replaceAll(
    /"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{[]|[}\]]|,|:|[^\s"{}[\],:]+|\s+/g,
    (token) => {
      if (/^\s+$/.test(token)) return "";
      if (/^[{[]\s*[}\]]$/.test(token)) return token;
      if (token === "{" || token === "[") {
        depth += 1;
        return token + line();
      }
      if (token === "}" || token === "]") {
        depth -= 1;
        return line() + token;
      }
      if (token === ",") return token + line();
      return token === ":" ? ": " : token;
    },
  );
}

/**
 * Returns the source text of an object in a JSON text, so that its numbers keep their digits. Default `{}`.
 *
 * @param pointer JSON Pointer to a member of members; the empty one is the whole text.
 */
export function textAt(text: string, pointer: string): string {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)];
  let [from, to] = [0, tokens.length];
  for (const name of pointer.split("/").slice(1)) {
    let depth = 0;
    let start: number | undefined;
    let end = to;
    for (let at = from; at < to; at += 1) {
      const token = tokens[at]?.[0] ?? "";
      if (token === "{" || token === "[") depth += 1;
      if (token === "}" || token === "]") depth -= 1;
      if (start !== undefined && ((depth === 1 && token === ",") || depth === 0)) {
        end = at;
        break;
      }
      if (
        depth === 1 &&
        start === undefined &&
        token === JSON.stringify(name) &&
        tokens[at + 1]?.[0] === ":"
      ) {
        start = at + 2;
      }
    }
    if (start === undefined) return "{}";
    [from, to] = [start, end];
  }
  const [first, last] = [tokens[from], tokens[to - 1]];
  return first && last ? text.slice(first.index, last.index + last[0].length) : "{}";
}

/** True for an amount of the interface: up to two digits after the point, above zero (S 2.1). */
export const isAmount = (text: string): boolean =>
  /^(?:0|[1-9]\d{0,7})(?:\.\d{1,2})?$/.test(text) && Number(text) > 0;

/** True if a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A line of two texts that are compared. */
export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Lines beyond which texts are compared from their ends only. */
const MAX_LINES = 400;

/** Returns the lines of two texts in order, by their longest common subsequence. */
export function diffLines(one: string, other: string): DiffLine[] {
  const [before, after] = [one.split("\n"), other.split("\n")];
  if (before.length > MAX_LINES || after.length > MAX_LINES) {
    if (one === other) return before.map((text) => ({ kind: "same", text }));
    const removed = before.map((text): DiffLine => ({ kind: "removed", text }));
    return [...removed, ...after.map((text): DiffLine => ({ kind: "added", text }))];
  }
  const lengths = [...before, ""].map(() => Array.from({ length: after.length + 1 }, () => 0));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const longest =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.splice(column, 1, longest);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [left, right] = [before[row], after[column]];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      row += 1;
      column += 1;
    } else if (
      right === undefined ||
      (left !== undefined && at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push({ kind: "removed", text: left ?? "" });
      row += 1;
    } else {
      lines.push({ kind: "added", text: right });
      column += 1;
    }
  }
  return lines;
}
