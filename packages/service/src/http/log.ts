import type { RequestHandler, Response } from "express";
import type { Clock } from "../clock.ts";
import { newId, type Random } from "../random.ts";
import type { Metrics } from "./metrics.ts";

const TEXTS = [
  "requestId",
  "method",
  // The route's pattern, never the path: paths hold ids.
  "route",
  "merchantId",
  "errorCode",
  "errorName",
  // The stack of an internal error.
  "stack",
  // The words of what failed: a database or the operating system. Never a value of a call.
  "cause",
  "subscriptionKey",
] as const;
const NUMBERS = ["status", "durationMs", "count"] as const;

/** Fields of a log line: facts about a call, never its headers, its body or a secret. */
export type LogFields = { readonly [Name in (typeof TEXTS)[number]]?: string | undefined } & {
  readonly [Name in (typeof NUMBERS)[number]]?: number | undefined;
};

export const describeError = (error: unknown): LogFields =>
  error instanceof Error
    ? { errorName: error.name, stack: error.stack }
    : { errorName: typeof error };

/** Writes lines of the log. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };

const ALLOWED: ReadonlySet<string> = new Set([...TEXTS, ...NUMBERS]);

/** Longer texts are cut, so that one line cannot fill a disk. */
const MAX_TEXT = 8192;

// C1 controls and characters that change the direction of writing: terminals obey them, and JSON admits them.
const UNSEEN = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Creates a logger that writes one JSON object per line, with only the fields of `LogFields`, whatever it receives. */
export function jsonLogger(options: {
  readonly write: (line: string) => void;
  readonly clock: Clock;
}): Logger {
  const { write, clock } = options;
  const writer =
    (level: keyof Logger) =>
    (fields: LogFields, message: string): void => {
      const time = new Date(clock.now()).toISOString();
      const line = JSON.stringify({ level, time, ...onlyAllowed(fields), message });
      write(line.replaceAll(UNSEEN, escaped));
    };
  return { info: writer("info"), warn: writer("warn"), error: writer("error") };
}

function onlyAllowed(fields: object): Record<string, unknown> {
  const kept = Object.entries<unknown>({ ...fields })
    .filter(([name]) => ALLOWED.has(name))
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => [name, typeof value === "string" ? value.slice(0, MAX_TEXT) : value]);
  // `fromEntries` of mixed values is typed `any`.
  return Object.fromEntries(kept) as Record<string, unknown>;
}

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Facts about a call for its log line and its answer, completed as the call proceeds. */
interface CallFacts {
  readonly requestId: string;
  merchantId: string | undefined;
  errorCode: string | undefined;
}

/** The cast: only `logCall` writes this member, for every call. */
export const factsOf = (response: Response): CallFacts => response.locals["facts"] as CallFacts;

/** Logs and counts each call once its answer is sent, or once the caller has gone before that. */
export function logCall(context: {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "called">;
  readonly random: Random;
}): RequestHandler {
  const { logger, metrics, random } = context;
  return (request, response, next) => {
    // Not the caller's own request id, which would be a stranger's text in the log.
    const facts: CallFacts = {
      requestId: newId(random, "req"),
      merchantId: undefined,
      errorCode: undefined,
    };
    response.locals["facts"] = facts;
    response.setHeader("x-request-id", facts.requestId);
    // A duration that is only reported: no injected clock is involved.
    const startedAt = performance.now();
    response.on("close", () => {
      // Express types the route as `any`; it is absent where no path matched.
      const { path } = { ...request.route } as { readonly path?: string };
      // An abandoned call has no status: the default one was never sent.
      const status = response.writableFinished ? response.statusCode : undefined;
      metrics.called({ route: path, status });
      const durationMs = Math.round(performance.now() - startedAt);
      const message = response.writableFinished ? "call" : "call given up";
      const fields = { ...facts, method: request.method, durationMs, status, route: path };
      logger.info(fields, message);
    });
    next();
  };
}

const MINUTE_MS = 60_000;

/** Logs what fails again and again: one line for each kind and minute, with the failures since the last one. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  readonly #kinds = new Map<string, { readonly at: number; unreported: number }>();

  /** @param elapsed Monotonic time in milliseconds. */
  constructor(logger: Logger, elapsed: () => number) {
    this.#logger = logger;
    this.#elapsed = elapsed;
  }

  /** @param kind One of few: each is remembered. */
  report(kind: string, fields: LogFields, message: string): void {
    const now = this.#elapsed();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.at < MINUTE_MS) {
      known.unreported += 1;
      return;
    }
    this.#logger.error({ ...fields, count: (known?.unreported ?? 0) + 1 }, message);
    this.#kinds.set(kind, { at: now, unreported: 0 });
  }
}
