import type { RefusalFacts, SignatureErrorCode } from "@countersign/signatures";
import type { EventKey } from "../inbox/inbox.ts";

/** Reasons to refuse an attempt. The table in the README explains each code. */
export type RejectionCode =
  | SignatureErrorCode
  | "CS_TENANT_UNKNOWN"
  | "CS_BODY_CONSUMED"
  | "CS_BODY_ENCODED"
  | "CS_BODY_MEDIA_TYPE"
  | "CS_BODY_TOO_LARGE"
  | "CS_BODY_TIMEOUT"
  | "CS_BODY_ABORTED"
  | "CS_BODY_NOT_JSON"
  | "CS_REQUEST_UNREADABLE"
  | "CS_EVENT_ENVELOPE"
  | "CS_EVENT_ID_MISMATCH"
  | "CS_EVENT_SCHEMA"
  | "CS_EVENT_ID_REUSED"
  | "CS_RECEIVER_BUSY";

/** Reasons for which an authentic event is not handled this time; the sender's next attempt tries again. */
export type FailureCode =
  | "CS_HANDLER_FAILED"
  | "CS_HANDLER_TIMEOUT"
  | "CS_CLAIM_LOST"
  | "CS_INBOX_UNAVAILABLE"
  | "CS_SECRETS_UNAVAILABLE"
  | "CS_RECEIVER_FAILED";

/** The signed identity of an event. */
export interface EventIdentity {
  readonly key: EventKey;
  readonly type: string;
}

/** A fault of an authentic body, for the receiver's own log; a sender never sees it. */
export interface RejectionDetail {
  /** JSON Pointer into the body; absent if the detail is about the whole body. */
  readonly pointer?: string;
  readonly message: string;
}

/** Details of a refusal, for the receiver's own log; a sender never sees them. */
export interface RejectionFacts extends RefusalFacts {
  /** The causes of a refused signature, each with its fix. Only with the option `explain`. */
  readonly explanation?: readonly string[];
  /** The Content-Type that is refused; `null` if it was sent twice. */
  readonly contentType?: string | null;
  /** The Content-Encoding that is refused; `null` if it was sent twice. */
  readonly contentEncoding?: string | null;
}

/**
 * The receiver's decision about one attempt.
 *
 * - `handled`: its handler ran and succeeded. `unrouted`: the fallback ran and succeeded.
 * - `duplicate`: this event was handled before; nothing ran.
 * - `superseded`: a newer event of the same resource was handled before; nothing ran.
 * - `stored`: it is stored durably, and a worker handles it later.
 * - `in_progress`: another attempt of this event is being handled.
 * - `failed`: authentic, but not handled this time; nothing is recorded as handled.
 * - `rejected`: refused, and not recorded.
 */
export type Outcome =
  | (EventIdentity & {
      readonly kind: "handled" | "unrouted" | "duplicate" | "superseded" | "stored";
    })
  | (EventIdentity & { readonly kind: "in_progress"; readonly retryAfterSeconds: number })
  | {
      readonly kind: "failed";
      readonly code: FailureCode;
      readonly retryAfterSeconds: number;
      readonly event?: EventIdentity;
      /** The thrown value. The sender sees only the code. */
      readonly error: unknown;
    }
  | {
      readonly kind: "rejected";
      readonly code: RejectionCode;
      readonly event?: EventIdentity;
      readonly details?: readonly RejectionDetail[];
      readonly facts?: RejectionFacts;
    };

export type Failed = Extract<Outcome, { readonly kind: "failed" }>;
export type Rejected = Extract<Outcome, { readonly kind: "rejected" }>;

/** Refuses an attempt. */
export function rejected(
  code: RejectionCode,
  about: Pick<Rejected, "event" | "details" | "facts"> = {},
): Rejected {
  return { kind: "rejected", code, ...about };
}

/** Fails an attempt; the sender tries again. */
export function failed(code: FailureCode, error: unknown, event?: EventIdentity): Failed {
  return { kind: "failed", code, retryAfterSeconds: 5, ...(event && { event }), error };
}

/** True if a step ended the attempt instead of returning its value. */
export function isOutcome(step: object): step is Outcome {
  return "kind" in step;
}

/** True for errors of any realm: test runners such as Jest run an app in another realm than Node's own errors. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
