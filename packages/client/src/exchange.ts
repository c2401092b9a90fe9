import { collectBytes, readJson } from "@countersign/rules";
import type { Validator } from "@countersign/schemas";
import {
  validateErrorDetails,
  validateFlatError,
  validateProblem,
  validateTokenError,
} from "@countersign/schemas/readers";
import type { Dispatcher } from "undici";
import { startDeadline } from "./clock.ts";
import { failed, invalidMembers, type Failure, type Result } from "./errors.ts";
import type { Settings } from "./options.ts";

/** An HTTP request whose answer is JSON. */
export interface Request<T> {
  readonly method: "GET" | "POST" | "PUT";
  /** Path below the base URL. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Secrets of the request, which no error may contain. */
  readonly secrets: readonly string[];
  /** Validates the JSON of a success. */
  readonly validate: Validator<T>;
}

/** Longest body of an answer. A provider that sends more must not fill the memory. */
const MAX_BODY_BYTES = 262_144;

/** Sends one request and reads its answer, within the attempt's deadline. Never rejects. */
export async function exchange<T>(
  { dispatcher, origin, prefix, clock, attemptTimeoutMs }: Settings,
  { method, path, headers, body, secrets, validate }: Request<T>,
  signal: AbortSignal,
): Promise<Result<T>> {
  const deadline = startDeadline(clock, attemptTimeoutMs);
  let answer: Dispatcher.ResponseData;
  let bytes: Uint8Array | undefined;
  try {
    // Follows no redirect and decompresses nothing.
    answer = await dispatcher.request({
      origin,
      path: prefix + path,
      method,
      headers,
      body: body ?? null,
      signal: AbortSignal.any([signal, deadline.signal]),
      // The deadline bounds all of it: undici's own limits start again with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // A stream without an encoding yields buffers; undici types its chunks as `any`. Leaving it closes the connection.
    bytes = await collectBytes(answer.body as AsyncIterable<Buffer>, MAX_BODY_BYTES);
  } catch (error) {
    if (signal.aborted) return failed({ code: "CS_CALL_ABORTED" });
    if (deadline.signal.aborted) return failed({ code: "CS_CALL_TIMEOUT" });
    return failed(failureOf(error));
  } finally {
    deadline.end();
  }

  const { statusCode: status } = answer;
  const unreadable = (reason: string, more: Partial<Failure> = {}): Result<never> =>
    failed({ code: "CS_ANSWER_UNREADABLE", status, reason, ...more });
  if (bytes === undefined) return unreadable("too-large");
  if (status >= 300 && status < 400) return unreadable("status");
  const isJson = hasJson(answer.headers);
  const json = isJson && bytes.length > 0 ? readJson(bytes) : undefined;
  if (status >= 400) {
    // A truncated body is not read: the missing part may name the refund that has the key.
    if (json?.ok === false) return unreadable("json");
    const retryAfterMs = parseRetryAfter(firstOf(answer.headers["retry-after"]), clock.now());
    const said = json === undefined ? {} : readRefusal(redact(json.value, secrets));
    return failed({ code: "CS_CALL_REFUSED", status, retryAfterMs, ...said });
  }
  if (!isJson) return unreadable("media-type");
  if (json?.ok !== true) return unreadable("json");
  const validation = validate(json.value);
  if (validation.ok) return validation;
  return unreadable("schema", { errors: invalidMembers(validation.errors) });
}

/** Failures before a connection is ready for a request. An `ERR_SSL_…` or `EHOSTUNREACH` may also end a request. */
const NOT_CONNECTED =
  /^(?:UND_ERR_CONNECT_TIMEOUT|UND_ERR_CLOSED|ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
const NOT_HTTP = /^(?:HPE_\w+|UND_ERR_HEADERS_OVERFLOW)$/;

// The error itself is dropped: a parser's error contains the received bytes, possibly with a token.
function failureOf(error: unknown): Failure {
  // A host with several addresses has an error for each.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const shown: NodeJS.ErrnoException = first instanceof Error ? first : new Error("unknown");
  const { name, code: reason = "UNKNOWN", syscall = "" } = shown;
  if (["getaddrinfo", "connect"].includes(syscall) || NOT_CONNECTED.test(reason))
    return { code: "CS_UNREACHABLE", reason };
  // A parser error at the end of the connection has no code.
  if (name === "HTTPParserError" || NOT_HTTP.test(reason))
    return { code: "CS_ANSWER_UNREADABLE", reason: "http" };
  return { code: "CS_CONNECTION_LOST", reason };
}

function firstOf(field: string | readonly string[] | undefined): string {
  return [field ?? ""].flat()[0] ?? "";
}

function hasJson(headers: Dispatcher.ResponseData["headers"]): boolean {
  const coding = [headers["content-encoding"] ?? "identity"].flat().join();
  const [type = ""] = firstOf(headers["content-type"]).split(";");
  const isJson = /^application\/(?:[a-z0-9.-]+\+)?json$/i.test(type.trim());
  return isJson && coding.toLowerCase() === "identity";
}

/**
 * Reads the body of a refusal: a problem (RFC 9457) with the interface's `errorDetails`, a flat body, an OAuth error
 * (RFC 6749, section 5.2), or only `errorDetails` (S 7.1). Any other body says nothing. Unknown codes are kept.
 */
function readRefusal(body: unknown): Partial<Failure> {
  const problem = validateProblem(body);
  if (problem.ok) {
    const { errorDetails, errors, requestId, existing } = problem.value;
    return { ...errorDetails, errors, requestId, existing };
  }
  const flat = validateFlatError(body);
  if (flat.ok) {
    const { errorId: requestId, errorCode, errorMessage } = flat.value;
    return { errorCode, errorMessage, requestId };
  }
  const oauth = validateTokenError(body);
  if (oauth.ok) return { errorCode: oauth.value.error };
  const isObject = typeof body === "object" && body !== null;
  const said = isObject && "errorDetails" in body ? body.errorDetails : undefined;
  const details = validateErrorDetails(said);
  return details.ok ? details.value : {};
}

/**
 * Removes secrets from every text of a refusal: a provider that echoes the request must not put a token into the
 * caller's log. Secrets of fewer than 4 characters are part of many words and stay.
 */
function redact(value: unknown, secrets: readonly string[]): unknown {
  const known = secrets.filter((secret) => secret.length >= 4);
  const clean = (text: string, secret: string): string => text.replaceAll(secret, "[secret]");
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === "string" ? known.reduce(clean, member) : member,
    ),
  );
}

/**
 * The wait that `Retry-After` asks for (RFC 9110, section 10.2.3), in milliseconds: 0 for a date in the past;
 * `undefined` if the field is missing, malformed, negative or of more than 12 digits.
 */
function parseRetryAfter(field: string, now: number): number | undefined {
  if (/^\d{1,12}$/.test(field)) return Number(field) * 1000;
  // Without the form of an HTTP date, `Date.parse` also reads "-1".
  const at = /^[A-Z][a-z]{2}, .+ GMT$/.test(field) ? Date.parse(field) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
