import { readJson } from "@countersign/rules";
import type { ExistingRefund, Validator } from "@countersign/schemas";
import {
  validateErrorDetails,
  validateFlatError,
  validateProblem,
} from "@countersign/schemas/readers";
import type { Incoming } from "./exchange.ts";
import { invalidMembers, type Refusal, type Result, unreadable } from "./failures.ts";

/** Parses the body of a success as strict JSON and validates it; unknown members are accepted. */
export function readSuccess<T>(
  { status, mediaType, body }: Incoming,
  { depth, validate }: { readonly depth: number; readonly validate: Validator<T> },
): Result<T> {
  if (!isJson(mediaType)) return unreadable("media-type", status);
  const reading = readJson(body, { depth });
  if (!reading.ok) return unreadable("json", status);
  const validation = validate(reading.value);
  if (validation.ok) return validation;
  return unreadable("schema", status, invalidMembers(validation.errors));
}

export function isJson(mediaType: string): boolean {
  return mediaType === "application/json" || /^application\/[a-z0-9.-]+\+json$/.test(mediaType);
}

export interface RefusalReading {
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
): Result<RefusalReading> {
  const { redact } = context;
  const reading = readJson(body, { depth: context.depth });
  const hasWords = isJson(mediaType) && body.length > 0;
  if (hasWords && !reading.ok) return unreadable("json", status);
  const said = hasWords && reading.ok ? wordsOf(reading.value) : {};
  const redacted = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : redact(text);
  const refusal: Refusal = {
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
  };
  return { ok: true, value: { refusal, existing: said.existing } };
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
  // The body has neither form, but the members of S 7.1.
  const details = validateErrorDetails(membersOf(value)["errorDetails"]);
  return details.ok ? details.value : {};
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Any object has members; the validator checks them.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

const REDACTED = "[secret]";

/**
 * Removes secrets from the provider's messages: an error that echoes the request must not carry a token
 * into the caller's log. Secrets of fewer than 4 characters are in every text and stay.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= 4);
  return (text) =>
    known.reduce<string>((cleaned, secret) => cleaned.replaceAll(secret, REDACTED), text);
}

/** RFC 9110, section 5.6.7: the only form that senders may generate. */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that a `Retry-After` field asks for (RFC 9110, section 10.2.3), in milliseconds from `now`.
 *
 * @returns 0 or more; `undefined` if the field is missing, garbled, negative or of more than 12
 *   digits. A date in the past is 0.
 */
export function retryAfterMs(field: string | undefined, now: number): number | undefined {
  if (field === undefined) return undefined;
  if (/^\d{1,12}$/.test(field)) return Number(field) * 1000;
  const at = HTTP_DATE.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
