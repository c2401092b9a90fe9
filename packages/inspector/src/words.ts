import { valueAt } from "@countersign/schemas";
import type { Delivery, Payment } from "./shapes.ts";

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

/** An amount as the interface writes it: `10.50 USD`. */
export const amountText = ({ amount }: Pick<Payment, "amount">): string =>
  `${amount.value.toFixed(2)} USD`;

/** The host, port and path of a URL. */
export function shortUrl(url: string | null): string {
  return url?.replace(/^https?:\/\//, "") ?? "";
}

/** Describes the state of a delivery. The page appends the next retry, since it contains a time. */
export function summarize({
  attempts,
  status,
  isPaused,
}: Pick<Delivery, "status" | "attempts" | "isPaused">): string {
  const last = attempts.at(-1);
  const failed = attempts.filter(({ diagnosis }) => !diagnosis.isGood).length;
  const times = failed === 1 ? "once" : `${String(failed)} times`;
  const what = last?.diagnosis.what ?? "";
  switch (status) {
    case "pending":
      if (isPaused) return "Waits: its endpoint is paused.";
      return last === undefined ? "Not attempted yet." : "Due to be sent again.";
    case "sending":
      return "Being sent now.";
    case "delivered":
      return failed === 0
        ? `Delivered at the first attempt. ${what}`
        : `Delivered after it had failed ${times}. ${what}`;
    case "failed":
    case "retrying":
      return `Failed ${times}. ${what}`;
    case "gave_up":
      return `Gave up after ${String(attempts.length)} attempts. ${what}`;
    case "unsent":
      return last === undefined
        ? "Dropped before it was sent: the endpoint was deleted, or no longer selects this event."
        : `Dropped after ${String(attempts.length)} attempts: the endpoint no longer wants it.`;
    default:
      return status satisfies never;
  }
}

/** The first and last characters of a long id. */
export function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

// In browsers since 2025, not yet in TypeScript's library.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };

/** Parses JSON whose numbers are printed again digit for digit. @throws {SyntaxError} */
function readDigits(text: string): unknown {
  const keep = (_: string, value: unknown, context?: { readonly source: string }): unknown =>
    typeof value === "number" && context !== undefined ? rawJSON(context.source) : value;
  // The types know a reviver of two parameters only.
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}

/** Formats JSON, or what is at a JSON Pointer in it; numbers keep their digits. Other text is returned as it is. */
export function formatted(text: string, pointer = ""): string {
  try {
    return JSON.stringify(valueAt(readDigits(text), pointer) ?? {}, null, 2);
  } catch {
    return text;
  }
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

/** Returns the lines of two texts in order: line by line if they have as many, else by their equal ends. */
export function diffLines(one: string, other: string): DiffLine[] {
  const [before, after] = [one.split("\n"), other.split("\n")];
  const same = (text: string): DiffLine => ({ kind: "same", text });
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (before.length === after.length)
    return before.flatMap((text, at) =>
      text === after[at] ? [same(text)] : [removed(text), added(after[at] ?? "")],
    );
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map(same),
    ...before.slice(head, before.length - tail).map(removed),
    ...after.slice(head, after.length - tail).map(added),
    ...after.slice(after.length - tail).map(same),
  ];
}
