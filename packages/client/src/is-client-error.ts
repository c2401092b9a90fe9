import type { ClientError, ClientErrorCode } from "./errors.ts";

// Exhaustive by its type: a code that is added must be added here.
const codes: Readonly<Record<ClientErrorCode, true>> = {
  CS_REQUEST_INVALID: true,
  CS_CALL_REFUSED: true,
  CS_REQUEST_KEY_USED: true,
  CS_UNREACHABLE: true,
  CS_CONNECTION_LOST: true,
  CS_CALL_TIMEOUT: true,
  CS_CALL_ABORTED: true,
  CS_ANSWER_UNREADABLE: true,
  CS_TOKEN_REFUSED: true,
  CS_TOKEN_UNAVAILABLE: true,
  CS_CLIENT_CLOSED: true,
};

/** Every code that an error of a client may have. Codes are never renamed or reused. */
export const clientErrorCodes: readonly ClientErrorCode[] = Object.freeze(
  // The keys of an object whose type names them all.
  Object.keys(codes) as ClientErrorCode[],
);

/** True if a client's call rejected with this error. Checks the code, since two copies may be installed. */
export function isClientError(error: unknown): error is ClientError {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return typeof error.code === "string" && Object.hasOwn(codes, error.code);
}
