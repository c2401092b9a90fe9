import type { BrokenKind } from "@countersign/contract-kit/attempts";
import type { DecidedAttempt } from "@countersign/service";
import { diagnose, type Diagnosis } from "@countersign/service/sandbox";
import { valueAt } from "@countersign/schemas";
import type { Answer } from "./attempts.ts";

/** Bytes of an answer that are kept. */
const EXCERPT = 1024;

/** An attempt that `countersign send` has sent. */
export interface Sent {
  readonly id: string;
  readonly answer: Answer;
}

/** Keeps the beginning of an answer: a burst has many. */
export const excerptOf = (answer: Answer): Answer => ({
  ...answer,
  body: Buffer.from(answer.body.subarray(0, EXCERPT)),
});

/** An attempt as JSON. */
export const shown = ({ id, answer: { status, error, durationMs, body } }: Sent): object =>
  status === null ? { id, durationMs, error } : { id, status, durationMs, body: body.toString() };

/** An answer as `diagnose` takes it. */
export const resultOf = ({ status, error, durationMs, body }: Answer, bytes: number = EXCERPT) => ({
  status,
  error,
  answer: body.toString("utf8", 0, bytes),
  durationMs,
});

/** The lines below an attempt that is to be explained. */
export const causeLines = ({ isGuess, cause, what, fix }: Diagnosis): readonly string[] => [
  `  ${isGuess ? "likely cause" : "cause"}: ${cause ?? what}`,
  ...(fix === null ? [] : [`  fix: ${fix}`]),
];

/** One line of an attempt of `countersign send`; below a refusal of a genuine one, its cause and fix. */
export function sentLines(
  { id, answer }: Sent,
  number: number,
  broken: BrokenKind | undefined,
  deadlineMs: number,
  fingerprint?: string,
): readonly string[] {
  const result = resultOf(answer);
  const { status, error, answer: text, durationMs } = result;
  // It was signed with the secret of this command.
  const known = broken === undefined ? { explanations: [] } : {};
  const diagnosis = diagnose({ ...result, ...known }, deadlineMs / 1000);
  const isPage = /^\s*<(?:!doctype|html)/i.test(text);
  const body = text === "" ? "" : `  ${isPage ? diagnosis.what : text}`;
  const line = `${id}  attempt ${number}  ${status ?? error}  ${durationMs} ms${body}`;
  const isExpected = diagnosis.isGood || (broken !== undefined && status !== null);
  if (isExpected) return [line];
  const isOfSecret = diagnosis.name === "valid-but-refused" && fingerprint !== undefined;
  const ours = isOfSecret ? [`  fingerprint of COUNTERSIGN_SECRET: ${fingerprint}`] : [];
  return [line, ...causeLines(diagnosis), ...ours];
}

/** Counts by answer, and the time of answers. */
export function summaryOf(sent: readonly Sent[]): readonly string[] {
  const by = Map.groupBy(sent, ({ answer }) => answer.status ?? answer.error);
  const times = sent.map(({ answer }) => answer.durationMs).toSorted((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  return [
    ...[...by].map(([result, list]) => `${result}  ${list.length} of ${sent.length}`),
    `median ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  ];
}

/** The time of day, on this machine. */
export const clockTime = (): string => new Date().toTimeString().slice(0, 8);

/** One line of an attempt of the sandbox: `05:54:11  payment.succeeded  POST localhost:3000/hooks  500  62 ms  retry 2 in 5 s` */
export function sandboxLine(
  { attempt, state, nextAt, at }: DecidedAttempt,
  typeAt: string,
): string {
  const { answer, delivery, durationMs, endpoint, number } = attempt;
  const { host, pathname } = new URL(endpoint.url);
  const type = valueAt(JSON.parse(delivery.payload), typeAt);
  const outcomes = {
    delivered: "delivered",
    exhausted: "gave up",
    dropped: "dropped: the subscription is closed",
    waiting: `retry ${number + 1} in ${durationText((nextAt ?? at) - at)}`,
  };
  const columns = [
    clockTime(),
    typeof type === "string" ? type : "event",
    `POST ${host}${pathname}`,
    // `CS_ATTEMPT_CONNECTION_LOST` as `connection lost`.
    answer.kind === "answered"
      ? String(answer.status)
      : answer.code.replace("CS_ATTEMPT_", "").replaceAll("_", " ").toLowerCase(),
    `${Math.round(durationMs)} ms`,
    outcomes[state],
  ];
  return columns.join("  ");
}

/** Whole seconds, minutes or hours. */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
