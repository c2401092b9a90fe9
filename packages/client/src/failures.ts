import type { ErrorCode, ExistingRefund, InvalidMember, SchemaError } from "@countersign/schemas";

/** The provider's refusal of a call, without the secrets of the call. */
export interface Refusal {
  readonly status: number;
  /** `errorCode` of the body (S 7); `undefined` if the body has none. The set is open. */
  readonly errorCode: ErrorCode | undefined;
  /** `errorMessage` of the body, for people. */
  readonly errorMessage: string | undefined;
  /** The invalid members of the request. Empty if the body names none. */
  readonly errors: readonly InvalidMember[];
  /** Identifier of the call in the provider's logs. */
  readonly requestId: string | undefined;
  /** `Retry-After`, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Reasons why an answer is unreadable:
 *
 * - `http`: it is not HTTP, or its head is too long
 * - `status`: a redirect, or another status without an answer; redirects are not followed
 * - `media-type`: a success that is not JSON without content coding
 * - `too-large`: a body beyond `limits.answerBytes`
 * - `json`: not strict JSON
 * - `schema`: not valid for the call, or the answer to another request
 */
export type UnreadableReason = "http" | "status" | "media-type" | "too-large" | "json" | "schema";

/** The reason why an attempt failed. */
export type Failure =
  | { readonly code: "CS_UNREACHABLE" | "CS_CONNECTION_LOST"; readonly reason: string }
  | { readonly code: "CS_CALL_TIMEOUT" | "CS_CALL_ABORTED" | "CS_CLIENT_CLOSED" }
  | {
      readonly code: "CS_ANSWER_UNREADABLE";
      readonly reason: UnreadableReason;
      readonly status: number | undefined;
      readonly errors: readonly InvalidMember[];
    }
  | { readonly code: "CS_CALL_REFUSED"; readonly refusal: Refusal }
  | {
      readonly code: "CS_REQUEST_KEY_USED";
      readonly refusal: Refusal;
      readonly existing: ExistingRefund | undefined;
    }
  | {
      readonly code: "CS_TOKEN_REFUSED";
      readonly status: number;
      readonly error: string | undefined;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly code: "CS_TOKEN_UNAVAILABLE"; readonly reason: string };

/** The value of a step that may fail. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function failed(failure: Failure): Result<never> {
  return { ok: false, failure };
}

/** The failure of an answer that cannot be trusted. */
export function unreadable(
  reason: UnreadableReason,
  status: number | undefined,
  errors: readonly InvalidMember[] = [],
): Result<never> {
  return failed({ code: "CS_ANSWER_UNREADABLE", reason, status, errors });
}

/** Converts a schema's errors to the list of invalid members. */
export function invalidMembers(errors: readonly SchemaError[]): readonly InvalidMember[] {
  return errors.map(({ pointer, keyword, message }) => ({ pointer, code: keyword, message }));
}

/** True if the provider may have done what the attempt requested. */
export function mayBeDone(failure: Failure): boolean {
  switch (failure.code) {
    case "CS_UNREACHABLE":
    case "CS_TOKEN_REFUSED":
    case "CS_TOKEN_UNAVAILABLE":
    case "CS_CLIENT_CLOSED":
      return false;
    case "CS_CONNECTION_LOST":
    case "CS_CALL_TIMEOUT":
    case "CS_CALL_ABORTED":
    case "CS_ANSWER_UNREADABLE":
      return true;
    case "CS_CALL_REFUSED":
      // A gateway answers 5xx for a service that may have done its work.
      return failure.refusal.status >= 500;
    case "CS_REQUEST_KEY_USED":
      // Without `existing` the holder of the key is unknown: it may be this refund, requested before.
      return failure.existing === undefined;
    default:
      return failure satisfies never;
  }
}
