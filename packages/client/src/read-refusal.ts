import { readJson } from "@countersign/rules";
import type { ExistingRefund } from "@countersign/schemas";
import {
  validateErrorDetails,
  validateFlatError,
  validateProblem,
} from "@countersign/schemas/readers";
import type { Incoming } from "./exchange.ts";
import type { Refusal } from "./failure.ts";
import { isJson, unreadable } from "./read-json-answer.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface RefusalReading {
  readonly ok: true;
  readonly refusal: Refusal;
  /** The refund that has the call's `requestKey`, if the body names one. */
  readonly existing: ExistingRefund | undefined;
}

/**
 * Parses a 4xx or 5xx: a problem (RFC 9457) with the interface's `errorDetails`, a flat body, or only
 * `errorDetails`. Any other body is ignored. A truncated body is not read: the missing part may name
 * the refund. Unknown codes are kept.
 */
export function readRefusal(
  { status, mediaType, body, retryAfter }: Incoming,
  context: {
    readonly depth: number;
    readonly now: number;
    /** Removes the call's secrets from a text. */
    readonly redact: (text: string) => string;
  },
): RefusalReading | ReturnType<typeof unreadable> {
  const { redact } = context;
  const reading = readJson(body, { depth: context.depth });
  const hasWords = isJson(mediaType) && body.length > 0;
  if (hasWords && !reading.ok) return unreadable("json", status);
  const said = hasWords && reading.ok ? wordsOf(reading.value) : {};
  const redacted = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redact(text);
  return {
    ok: true,
    refusal: {
      status,
      errorCode: redacted(said.errorCode),
      errorMessage: redacted(said.errorMessage),
      errors: (said.errors ?? []).map(({ pointer, code, message }) => ({
        pointer: redact(pointer),
        code: redact(code),
        ...(message !== undefined && { message: redact(message) }),
      })),
      requestId: redacted(said.requestId),
      retryAfterMs: retryAfterMs(retryAfter, context.now),
    },
    existing: said.existing,
  };
}

type Words = Partial<Pick<Refusal, "errorCode" | "errorMessage" | "errors" | "requestId">> & {
  readonly existing?: ExistingRefund | undefined;
};

function wordsOf(value: unknown): Words {
  const problem = validateProblem(value);
  if (problem.ok) {
    const { errorDetails, errors, requestId, existing } = problem.value;
    return { ...errorDetails, errors: errors ?? [], requestId, existing };
  }
  const flat = validateFlatError(value);
  if (flat.ok) {
    const { errorId, errorCode, errorMessage } = flat.value;
    return { errorCode, errorMessage, requestId: errorId };
  }
  // Neither form, but with the members of S 7.
  const details = validateErrorDetails(membersOf(value)["errorDetails"]);
  return details.ok ? details.value : {};
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object has members; the validator checks them.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
