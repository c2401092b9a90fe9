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
    meaning: "The answer is not HTTP, or longer than an answer may be.",
  },
} as const;

export type AttemptErrorCode = keyof typeof attemptErrorCodes;

/** Ends a connection of an attempt. */
export class AttemptError extends Error {
  readonly code: AttemptErrorCode;
  constructor(code: AttemptErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

const UNRESOLVED = ["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME", "EAI_FAIL"];
const LOST = ["UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "ECONNRESET", "EPIPE"];
const KNOWN: readonly (readonly [codes: readonly string[], code: AttemptErrorCode])[] = [
  [UNRESOLVED, "CS_ATTEMPT_NAME_UNRESOLVED"],
  // Other time limits of undici are off.
  [["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"], "CS_ATTEMPT_TIMEOUT"],
  [LOST, "CS_ATTEMPT_CONNECTION_LOST"],
  [["UND_ERR_HEADERS_OVERFLOW"], "CS_ATTEMPT_ANSWER_MALFORMED"],
];

/** The code of whatever undici, Node's sockets or its resolver threw. */
export function attemptErrorCode(error: unknown): AttemptErrorCode {
  if (error instanceof AttemptError) return error.code;
  // undici gives this one a code only at times.
  if (error instanceof Error && error.name === "HTTPParserError")
    return "CS_ATTEMPT_ANSWER_MALFORMED";
  const code = codeOf(error);
  const known = KNOWN.find(([codes]) => codes.includes(code));
  if (known !== undefined) return known[1];
  // OpenSSL names a bad certificate in many ways: CERT_HAS_EXPIRED, DEPTH_ZERO_SELF_SIGNED_CERT, …
  const isTls = /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SIGNATURE|ISSUER/.test(code);
  return isTls ? "CS_ATTEMPT_TLS_FAILED" : "CS_ATTEMPT_CONNECTION_FAILED";
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node tries several addresses of one name and reports them together.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : "";
}
