import { pino } from "pino";
import type { Clock } from "../clock.ts";
import type { LogFields, Logger } from "./logger.ts";

/** Every field that a line may have: a member more in `LogFields` must be allowed here too. */
const allowed: Readonly<Record<keyof LogFields, true>> = {
  requestId: true,
  method: true,
  route: true,
  status: true,
  durationMs: true,
  merchantId: true,
  errorCode: true,
  errorName: true,
  stack: true,
  defect: true,
  count: true,
  clockId: true,
  refundId: true,
  subscriptionKey: true,
};

/** A longer text is cut: one line must not fill a disk. */
const MAX_TEXT = 8192;

// C1 controls and what turns the direction of writing round: terminals obey them, and JSON may hold them.
const UNSEEN = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export interface JsonLoggerOptions {
  /** Gets each line, without its end. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  /** Default `info`. */
  readonly level?: "info" | "warn" | "error";
}

/**
 * A logger that writes one JSON object a line (pino), with the fields of `LogFields` and no others,
 * whatever it is given.
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
    .filter(([name]) => Object.hasOwn(allowed, name))
    .filter(([, value]) => typeof value === "string" || typeof value === "number")
    .map(([name, value]) => [name, typeof value === "string" ? value.slice(0, MAX_TEXT) : value]);
  // `fromEntries` of mixed values is typed `any`.
  return Object.fromEntries(kept) as Record<string, unknown>;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
