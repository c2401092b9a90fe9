/** The reason why an attempt has no answer. Kept with the attempt, shown to the merchant, never renamed. */
export const attemptErrorCodes = {
  CS_ATTEMPT_URL_REFUSED: {
    meaning: "The subscription's URL may not be called (scheme, port, credentials, fragment).",
  },
  CS_ATTEMPT_SECRET_UNUSABLE: {
    meaning: "The subscription's secret cannot sign under the profile in use.",
  },
  CS_ATTEMPT_SECRET_SEALED: {
    meaning: "The subscription's secret does not open: its key is missing, or its row was changed.",
  },
  CS_ATTEMPT_ADDRESS_REFUSED: {
    meaning: "The host is, or resolves to, an address outside the public Internet.",
  },
  CS_ATTEMPT_NAME_UNRESOLVED: { meaning: "The host's name has no address." },
  CS_ATTEMPT_CONNECTION_FAILED: { meaning: "Nobody accepts connections there." },
  CS_ATTEMPT_TLS_FAILED: {
    meaning: "The certificate is not valid for the host, or the handshake failed.",
  },
  CS_ATTEMPT_CONNECTION_LOST: { meaning: "The connection ended before the answer was whole." },
  CS_ATTEMPT_TIMEOUT: { meaning: "The answer was not whole by the deadline." },
  CS_ATTEMPT_ANSWER_MALFORMED: {
    meaning: "What came back is not HTTP, or longer than an answer may be.",
  },
} as const;

export type AttemptErrorCode = keyof typeof attemptErrorCodes;

/** The code of whatever undici, Node's sockets or its resolver threw. */
export function attemptErrorCode(error: unknown): AttemptErrorCode {
  // undici gives this one a code only at times.
  if (error instanceof Error && error.name === "HTTPParserError") {
    return "CS_ATTEMPT_ANSWER_MALFORMED";
  }
  const code = codeOf(error);
  switch (code) {
    case "CS_ATTEMPT_ADDRESS_REFUSED":
    case "CS_ATTEMPT_ANSWER_MALFORMED":
    case "CS_ATTEMPT_NAME_UNRESOLVED":
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
