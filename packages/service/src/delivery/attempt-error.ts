/**
 * Why an attempt has no answer. Kept with the attempt, shown to the merchant, never renamed:
 *
 * - `CS_ATTEMPT_URL_REFUSED`: the subscription's URL may not be called (scheme, credentials, fragment)
 * - `CS_ATTEMPT_SECRET_UNUSABLE`: the subscription's secret cannot sign under the profile in use
 * - `CS_ATTEMPT_ADDRESS_REFUSED`: the host is, or resolves to, an address outside the public Internet
 * - `CS_ATTEMPT_NAME_UNRESOLVED`: the host's name has no address
 * - `CS_ATTEMPT_CONNECTION_FAILED`: nobody accepts connections there
 * - `CS_ATTEMPT_TLS_FAILED`: the certificate is not valid for the host, or the handshake failed
 * - `CS_ATTEMPT_CONNECTION_LOST`: the connection ended before the answer was whole
 * - `CS_ATTEMPT_TIMEOUT`: the answer was not whole by the deadline
 * - `CS_ATTEMPT_ANSWER_MALFORMED`: what came back is not HTTP, or its head is too long
 */
export type AttemptErrorCode =
  | "CS_ATTEMPT_URL_REFUSED"
  | "CS_ATTEMPT_SECRET_UNUSABLE"
  | "CS_ATTEMPT_ADDRESS_REFUSED"
  | "CS_ATTEMPT_NAME_UNRESOLVED"
  | "CS_ATTEMPT_CONNECTION_FAILED"
  | "CS_ATTEMPT_TLS_FAILED"
  | "CS_ATTEMPT_CONNECTION_LOST"
  | "CS_ATTEMPT_TIMEOUT"
  | "CS_ATTEMPT_ANSWER_MALFORMED";

/** The code of whatever undici, Node's sockets or its resolver threw. */
export function attemptErrorCode(error: unknown): AttemptErrorCode {
  // undici gives this one a code only at times.
  if (error instanceof Error && error.name === "HTTPParserError") {
    return "CS_ATTEMPT_ANSWER_MALFORMED";
  }
  const code = codeOf(error);
  switch (code) {
    case "CS_ATTEMPT_ADDRESS_REFUSED":
      return code;
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_NODATA":
    case "EAI_NONAME":
    case "EAI_FAIL":
      return "CS_ATTEMPT_NAME_UNRESOLVED";
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
    case "UND_ERR_BODY_TIMEOUT":
      return "CS_ATTEMPT_TIMEOUT";
    case "UND_ERR_SOCKET":
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
    case "ECONNRESET":
    case "EPIPE":
      return "CS_ATTEMPT_CONNECTION_LOST";
    case "UND_ERR_HEADERS_OVERFLOW":
      return "CS_ATTEMPT_ANSWER_MALFORMED";
    default:
      return codeByFamily(code);
  }
}

function codeByFamily(code: string): AttemptErrorCode {
  // OpenSSL names a bad certificate in many ways: CERT_HAS_EXPIRED, DEPTH_ZERO_SELF_SIGNED_CERT, …
  if (/CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SIGNATURE|ISSUER/.test(code)) return "CS_ATTEMPT_TLS_FAILED";
  return "CS_ATTEMPT_CONNECTION_FAILED";
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node tries several addresses of one name and reports them together.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
