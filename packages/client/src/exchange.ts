import { collectBytes } from "@countersign/rules";
import type { Dispatcher } from "undici";
import { failed, unreadable, type Result } from "./failures.ts";
import type { Settings } from "./options.ts";
import { startDeadline } from "./time.ts";

/** An HTTP request, with its path from the origin's root. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A complete answer. */
export interface Incoming {
  readonly status: number;
  /** The media type in lower case without parameters; empty if it is missing or a content coding is set. */
  readonly mediaType: string;
  readonly retryAfter: string | undefined;
  readonly body: Uint8Array;
}

/** The network, as one client sees it. */
export interface Wire {
  readonly dispatcher: Dispatcher;
  readonly settings: Settings;
}

/**
 * Sends one request and reads all of its answer, by the attempt's deadline. Follows no redirect,
 * decompresses nothing. Never rejects.
 */
export async function exchange(
  { dispatcher, settings }: Wire,
  { path, ...request }: Outgoing,
  signal: AbortSignal,
): Promise<Result<Incoming>> {
  const { origin, prefix, timeouts, limits, time } = settings;
  const deadline = startDeadline(time, timeouts.attemptMs);
  try {
    const { statusCode, headers, body } = await dispatcher.request({
      ...request,
      origin,
      path: prefix + path,
      signal: AbortSignal.any([signal, deadline.signal]),
      // The deadline bounds all of it: undici's own limits start again with each byte.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    // A stream without an encoding yields buffers; undici types its chunks as `any`. Leaving it closes the connection.
    const bytes = await collectBytes(body as AsyncIterable<Buffer>, limits.answerBytes);
    if (bytes === undefined) return unreadable("too-large", statusCode);
    const [retryAfter] = [headers["retry-after"]].flat();
    const mediaType = mediaTypeOf(headers);
    return { ok: true, value: { status: statusCode, mediaType, retryAfter, body: bytes } };
  } catch (error) {
    if (signal.aborted) return failed({ code: "CS_CALL_ABORTED" });
    if (deadline.signal.aborted) return failed({ code: "CS_CALL_TIMEOUT" });
    return failureOf(error);
  } finally {
    deadline.end();
  }
}

function mediaTypeOf(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  const coding = [headers["content-encoding"] ?? "identity"].flat().join();
  if (coding.toLowerCase() !== "identity") return "";
  const [type = ""] = [headers["content-type"]].flat();
  return (type.split(";")[0] ?? "").trim().toLowerCase();
}

const NOT_CONNECTED =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;
const NOT_HTTP = /^(?:HPE_\w+|UND_ERR_HEADERS_OVERFLOW)$/;

// The error itself is dropped: a parser's error contains the received bytes, possibly with a token.
function failureOf(error: unknown): Result<never> {
  const { name, code } = wordsOf(error);
  if (NOT_CONNECTED.test(code)) return failed({ code: "CS_UNREACHABLE", reason: code });
  // A parser error at the end of the connection has no code.
  if (NOT_HTTP.test(code) || name === "HTTPParserError") return unreadable("http", undefined);
  return failed({ code: "CS_CONNECTION_LOST", reason: code });
}

function wordsOf(error: unknown): { readonly name: string; readonly code: string } {
  if (!(error instanceof Error)) return { name: "", code: "UNKNOWN" };
  const code = "code" in error && typeof error.code === "string" ? error.code : "UNKNOWN";
  return { name: error.name, code };
}
