import type { ErrorCode, ExistingRefund, InvalidMember } from "@countersign/schemas";
import type { Failure, Refusal, UnreadableReason } from "./failures.ts";

/** The calls of a client. */
export type CallName = "refund" | "customer" | "subscribe" | "unsubscribe";

/** Facts about a failed call. */
export interface CallFacts {
  readonly call: CallName;
  /** Number of attempts, 0 or more. */
  readonly attempts: number;
  /**
   * True if the provider may have carried out the call. Retry a refund with the **same** `requestKey`,
   * never with a new one.
   */
  readonly mayBeDone: boolean;
}

/** Base of every error of this package. None contains a secret, a header or a body. */
abstract class CallError extends Error implements CallFacts {
  abstract readonly code: `CS_${string}`;
  readonly call: CallName;
  readonly attempts: number;
  readonly mayBeDone: boolean;
  constructor(message: string, facts: CallFacts, options?: ErrorOptions) {
    super(`${facts.call}: ${message}`, options);
    this.name = new.target.name;
    this.call = facts.call;
    this.attempts = facts.attempts;
    this.mayBeDone = facts.mayBeDone;
  }
}

/** The request is invalid. Nothing was sent. */
export class RequestInvalidError extends CallError {
  readonly code = "CS_REQUEST_INVALID";
  /** JSON Pointers into the arguments. `code` is a schema's keyword or a code of `@countersign/rules`. */
  readonly errors: readonly InvalidMember[];
  constructor(errors: readonly InvalidMember[], facts: CallFacts) {
    super(`not sent: ${errors.map(({ pointer, code }) => `${pointer} ${code}`).join(", ")}`, facts);
    this.errors = errors;
  }
}

/** The provider refused the call (S 7). */
export class CallRefusedError extends CallError implements Refusal {
  readonly code = "CS_CALL_REFUSED";
  readonly status: number;
  readonly errorCode: ErrorCode | undefined;
  readonly errorMessage: string | undefined;
  readonly errors: readonly InvalidMember[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  constructor(refusal: Refusal, facts: CallFacts) {
    super(`refused with ${refusal.status} ${refusal.errorCode ?? "and no code"}`, facts);
    this.status = refusal.status;
    this.errorCode = refusal.errorCode;
    this.errorMessage = refusal.errorMessage;
    this.errors = refusal.errors;
    this.requestId = refusal.requestId;
    this.retryAfterMs = refusal.retryAfterMs;
  }
}

/** The `requestKey` belongs to a payment record that is not known to be this refund (S 4.1, rule 1). */
export class RequestKeyUsedError extends CallError {
  readonly code = "CS_REQUEST_KEY_USED";
  readonly status: number;
  readonly errorCode: ErrorCode | undefined;
  readonly requestId: string | undefined;
  /** The refund that has the key; `undefined` if it is a debit's, or if the provider does not say. */
  readonly existing: ExistingRefund | undefined;
  constructor(refusal: Refusal, existing: ExistingRefund | undefined, facts: CallFacts) {
    super(
      existing === undefined
        ? "the requestKey is used, and the answer does not say by what"
        : "the requestKey is used by another refund",
      facts,
    );
    this.status = refusal.status;
    this.errorCode = refusal.errorCode;
    this.requestId = refusal.requestId;
    this.existing = existing;
  }
}

/** No connection was made: nothing was sent. */
export class UnreachableError extends CallError {
  readonly code = "CS_UNREACHABLE";
  /** The system's code, such as `ECONNREFUSED`. */
  readonly reason: string;
  constructor(reason: string, facts: CallFacts) {
    super(`no connection (${reason})`, facts);
    this.reason = reason;
  }
}

/** The connection ended before the answer was complete. */
export class ConnectionLostError extends CallError {
  readonly code = "CS_CONNECTION_LOST";
  /** The system's or undici's code, such as `ECONNRESET`. */
  readonly reason: string;
  constructor(reason: string, facts: CallFacts) {
    super(`the connection was lost (${reason})`, facts);
    this.reason = reason;
  }
}

/** The time for the last attempt or for the whole call has passed. */
export class CallTimeoutError extends CallError {
  readonly code = "CS_CALL_TIMEOUT";
  constructor(facts: CallFacts) {
    super("not answered in time", facts);
  }
}

/** The caller's signal was aborted; its reason is the `cause`. */
export class CallAbortedError extends CallError {
  readonly code = "CS_CALL_ABORTED";
  constructor(cause: unknown, facts: CallFacts) {
    super("aborted", facts, { cause });
  }
}

/** The answer cannot be trusted; `reason` says why. */
export class AnswerUnreadableError extends CallError {
  readonly code = "CS_ANSWER_UNREADABLE";
  readonly reason: UnreadableReason;
  /** `undefined` if the answer was not HTTP. */
  readonly status: number | undefined;
  /** The invalid members of the answer; only for the reason `schema`. */
  readonly errors: readonly InvalidMember[];
  constructor(
    answer: Pick<AnswerUnreadableError, "reason" | "status" | "errors">,
    facts: CallFacts,
  ) {
    super(`the answer is not readable (${answer.reason})`, facts);
    this.reason = answer.reason;
    this.status = answer.status;
    this.errors = answer.errors;
  }
}

/** The token endpoint refused (RFC 6749, section 5.2). */
export class TokenRefusedError extends CallError {
  readonly code = "CS_TOKEN_REFUSED";
  readonly status: number;
  /** An error code such as `invalid_client`; the set is open. `undefined` if the body has none. */
  readonly error: string | undefined;
  constructor({ status, error }: Pick<TokenRefusedError, "status" | "error">, facts: CallFacts) {
    super(`no token: refused with ${status} ${error ?? "and no code"}`, facts);
    this.status = status;
    this.error = error;
  }
}

/** No access token is available: the endpoint did not answer readably, or the provider function failed. */
export class TokenUnavailableError extends CallError {
  readonly code = "CS_TOKEN_UNAVAILABLE";
  /**
   * Another code of this package, or:
   *
   * - `CS_TOKEN_PROVIDER_FAILED`: the caller's `token` function threw.
   * - `CS_TOKEN_MALFORMED`: the caller's `token` function returned no access token.
   */
  readonly reason: string;
  constructor(reason: string, facts: CallFacts) {
    super(`no token (${reason})`, facts);
    this.reason = reason;
  }
}

/** The client is closed. */
export class ClientClosedError extends CallError {
  readonly code = "CS_CLIENT_CLOSED";
  constructor(facts: CallFacts) {
    super("the client is closed", facts);
  }
}

/** Everything that a call rejects with; `switch` on `code` narrows it. */
export type ClientError =
  | RequestInvalidError
  | CallRefusedError
  | RequestKeyUsedError
  | UnreachableError
  | ConnectionLostError
  | CallTimeoutError
  | CallAbortedError
  | AnswerUnreadableError
  | TokenRefusedError
  | TokenUnavailableError
  | ClientClosedError;

export type ClientErrorCode = ClientError["code"];

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

/** The error that a call rejects with. `cause`: the reason of the caller's signal. */
export function errorOf(failure: Failure, facts: CallFacts, cause?: unknown): ClientError {
  switch (failure.code) {
    case "CS_UNREACHABLE":
      return new UnreachableError(failure.reason, facts);
    case "CS_CONNECTION_LOST":
      return new ConnectionLostError(failure.reason, facts);
    case "CS_CALL_TIMEOUT":
      return new CallTimeoutError(facts);
    case "CS_CALL_ABORTED":
      return new CallAbortedError(cause, facts);
    case "CS_CLIENT_CLOSED":
      return new ClientClosedError(facts);
    case "CS_ANSWER_UNREADABLE":
      return new AnswerUnreadableError(failure, facts);
    case "CS_CALL_REFUSED":
      return new CallRefusedError(failure.refusal, facts);
    case "CS_REQUEST_KEY_USED":
      return new RequestKeyUsedError(failure.refusal, failure.existing, facts);
    case "CS_TOKEN_REFUSED":
      return new TokenRefusedError(failure, facts);
    case "CS_TOKEN_UNAVAILABLE":
      return new TokenUnavailableError(failure.reason, facts);
    default:
      return failure satisfies never;
  }
}
