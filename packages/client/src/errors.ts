import type { ExistingRefund, InvalidMember, SchemaError } from "@countersign/schemas";

/** The calls of a client. */
export type CallName = "refund" | "customer" | "subscribe" | "unsubscribe";

/** The cause of each code, and what to do. Codes are never renamed or reused. */
export const clientErrorCodes = {
  CS_REQUEST_INVALID: "The request is invalid; nothing was sent. Correct the members of `errors`.",
  CS_CALL_REFUSED:
    "The provider refused the call. Act on `status` and `errorCode`, after `retryAfterMs` if it is set.",
  CS_REQUEST_KEY_USED:
    "Another payment record has the `requestKey`, or may have it. If `mayBeDone`, ask the provider for the refund; otherwise a new refund needs a new key.",
  CS_UNREACHABLE:
    "No connection was made; nothing was sent. Check `baseUrl`, DNS, TLS and the network, then call again.",
  CS_CONNECTION_LOST:
    "The connection ended before the answer was complete. Call again, a refund with the same `requestKey`.",
  CS_CALL_TIMEOUT:
    "The last attempt or the whole call took too long. Call again, a refund with the same `requestKey`.",
  CS_CALL_ABORTED:
    "The caller's signal was aborted; its reason is the `cause`. If `mayBeDone`, the provider may still carry out the call.",
  CS_ANSWER_UNREADABLE:
    "The answer is not one of the interface; `reason` says why. Check `baseUrl` and `profile`, then call again, a refund with the same `requestKey`.",
  CS_TOKEN_REFUSED:
    "The token endpoint refused (RFC 6749, section 5.2); `errorCode` is its `error`. Check `clientId`, `clientSecret` and `scopes`.",
  CS_TOKEN_UNAVAILABLE:
    "The token endpoint did not answer readably, or the `token` function failed; `reason` says which. Correct the function, or call again.",
  CS_CLIENT_CLOSED:
    "The client was closed before the call had an answer. Make calls before `close`.",
} as const;

export type ClientErrorCode = keyof typeof clientErrorCodes;

/**
 * The error that every call rejects with; `code` says which. Facts that the code does not have are absent. None
 * contains a token, a secret, a header or a body.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  declare readonly code: ClientErrorCode;
  declare readonly call: CallName;
  /** Number of attempts, 0 or more. */
  declare readonly attempts: number;
  /**
   * False only if the provider certainly did not carry out the call. If true, repeat a refund with the **same**
   * `requestKey`, never with a new one; a second `subscribe` may make a second subscription.
   */
  declare readonly mayBeDone: boolean;
  /** HTTP status of the last answer. */
  declare readonly status?: number | undefined;
  /** `errorCode` of a refusal (S 7), or `error` of the token endpoint. Others may be added. */
  declare readonly errorCode?: string | undefined;
  /** The provider's explanation, for people. */
  declare readonly errorMessage?: string | undefined;
  /**
   * Invalid members of the arguments, or of an unreadable answer, by JSON Pointers. A `code` is the provider's, a
   * schema's keyword, or `CS_AMOUNT_…`.
   */
  declare readonly errors?: readonly InvalidMember[] | undefined;
  /** Identifier of the call in the provider's logs. */
  declare readonly requestId?: string | undefined;
  /** `Retry-After` of the refusal, in milliseconds from its arrival. */
  declare readonly retryAfterMs?: number | undefined;
  /** The refund that has the `requestKey`; absent if a debit has it, or if the provider does not say. */
  declare readonly existing?: ExistingRefund | undefined;
  /**
   * A detail for people: the system's code, such as `ECONNREFUSED`, or why an answer is unreadable: `http` (not HTTP,
   * or a head that is too long), `status` (a redirect, which is not followed), `media-type` (not JSON without a
   * content coding), `too-large` (more than 256 KiB), `json` (not strict JSON), `schema` (not valid for the call, or
   * the answer to another request).
   */
  declare readonly reason?: string | undefined;

  constructor(failure: Failure, facts: Pick<ClientError, "call" | "attempts" | "mayBeDone">) {
    const { cause, ...shown } = failure;
    const { code, status, errorCode, reason, errors = [] } = shown;
    const members = errors.map(({ pointer, code: fault }) => `${pointer} ${fault}`).join(", ");
    const details = [code, status, errorCode, reason, members].filter(Boolean).join(" ");
    // The provider's words must not break the lines of a log.
    const line = `${facts.call}: ${details.replaceAll(/[^ -~]/g, "?")}: ${clientErrorCodes[code]}`;
    super(line, cause === undefined ? {} : { cause });
    const known = Object.entries(shown).filter(([, fact]) => fact !== undefined);
    Object.assign(this, Object.fromEntries(known), facts);
  }
}

/** The facts of one failed attempt. */
export type Failure = Omit<
  ClientError,
  Exclude<keyof Error, "cause"> | "call" | "attempts" | "mayBeDone"
>;

/** The value of a step that may fail. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function failed(failure: Failure): Result<never> {
  return { ok: false, failure };
}

/** Converts a schema's errors to a list of invalid members. */
export function invalidMembers(errors: readonly SchemaError[]): readonly InvalidMember[] {
  return errors.map(({ pointer, keyword, message }) => ({ pointer, code: keyword, message }));
}

export function invalidRequest(call: CallName, errors: readonly SchemaError[]): ClientError {
  const failure = { code: "CS_REQUEST_INVALID", errors: invalidMembers(errors) } as const;
  return new ClientError(failure, { call, attempts: 0, mayBeDone: false });
}

/** True if a client's call rejected with this error. Checks the code, since two copies may be installed. */
export function isClientError(error: unknown): error is ClientError {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return typeof error.code === "string" && Object.hasOwn(clientErrorCodes, error.code);
}
