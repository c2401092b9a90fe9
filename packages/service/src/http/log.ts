import type { Request, RequestHandler, Response } from "express";
import { pino } from "pino";
import type { Clock } from "../clock.ts";
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
  // The defect of an answer that does not match its schema.
  "defect",
  "clockId",
  "refundId",
  "subscriptionKey",
] as const;
const NUMBERS = ["status", "durationMs", "count"] as const;

/** Fields of a log line: facts about a call, never its headers, its body or a secret. */
export type LogFields = Readonly<
  Partial<Record<(typeof TEXTS)[number], string> & Record<(typeof NUMBERS)[number], number>>
>;

/** The part of a pino logger that this service uses. */
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

export interface JsonLoggerOptions {
  /** Receives each line, without a newline. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  /** Default `info`. */
  readonly level?: "info" | "warn" | "error";
}

/**
 * Creates a logger that writes one JSON object per line (pino), with only the fields of `LogFields`,
 * whatever it receives.
 */
export function jsonLogger({ write, clock, level = "info" }: JsonLoggerOptions): Logger {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: onlyAllowed },
    },
    { write: (line: string) => write(line.trimEnd().replaceAll(UNSEEN, escaped)) },
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

function onlyAllowed(fields: object): Record<string, unknown> {
  const kept = Object.entries<unknown>({ ...fields })
    .filter(([name]) => ALLOWED.has(name))
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => [name, typeof value === "string" ? value.slice(0, MAX_TEXT) : value]);
  // `fromEntries` of mixed values is typed `any`.
  return Object.fromEntries(kept) as Record<string, unknown>;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Facts about a call for its log line and its answer, completed as the call proceeds. */
export interface CallFacts {
  readonly requestId: string;
  merchantId: string | undefined;
  errorCode: string | undefined;
}

export function setFacts(response: Response, facts: CallFacts): void {
  response.locals["facts"] = facts;
}

/** @throws {Error} The call did not pass through this service's application. */
export function factsOf(response: Response): CallFacts {
  // Only `setFacts` writes this member.
  const facts = response.locals["facts"] as CallFacts | undefined;
  if (facts === undefined) throw new Error("the call has no facts");
  return facts;
}

export interface CallLog {
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "called">;
}

/** Logs and counts each call once its answer is sent, or once the caller has gone before that. */
export function logCall({ logger, metrics }: CallLog): RequestHandler {
  return (request, response, next) => {
    // A duration that is only reported: no injected clock is involved.
    const startedAt = performance.now();
    response.on("close", () => {
      const { requestId, merchantId, errorCode } = factsOf(response);
      const route = patternOf(request);
      const durationMs = performance.now() - startedAt;
      // An abandoned call has no status: the default one was never sent.
      const status = response.writableFinished ? response.statusCode : undefined;
      metrics.called({ method: request.method, route, status, seconds: durationMs / 1000 });
      logger.info(
        {
          requestId,
          method: request.method,
          durationMs: Math.round(durationMs),
          ...(status !== undefined && { status }),
          ...(route !== undefined && { route }),
          ...(merchantId !== undefined && { merchantId }),
          ...(errorCode !== undefined && { errorCode }),
        },
        response.writableFinished ? "call" : "call given up",
      );
    });
    next();
  };
}

function patternOf(request: Request): string | undefined {
  // Express types the route as `any`; it is absent where no path matched.
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === "string" ? route.path : undefined;
}

const MINUTE_MS = 60_000;

/** Logs what fails again and again: one line for each kind and minute, with the failures since the last one. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  readonly #kinds = new Map<string, { at: number; unreported: number }>();

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
