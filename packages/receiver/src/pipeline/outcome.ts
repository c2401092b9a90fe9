import type { RefusalFacts, SignatureErrorCode } from "@countersign/signatures/stated";
import type { EventKey } from "../inbox/inbox.ts";

/**
 * Reasons to refuse an attempt.
 *
 * - `CS_TENANT_UNKNOWN`: `secrets` knows no tenant for this attempt. The sender sees `CS_SIGNATURE_REFUSED`.
 * - `CS_BODY_CONSUMED`: a parser has read the body before the receiver. The answer names the line to change.
 * - `CS_BODY_ENCODED`: the body has a Content-Encoding other than `identity`.
 * - `CS_BODY_MEDIA_TYPE`: the Content-Type is not JSON in UTF-8.
 * - `CS_BODY_TOO_LARGE`: the body is larger than `limits.bodyBytes`.
 * - `CS_BODY_TIMEOUT`: the body did not arrive within `limits.bodyMs`.
 * - `CS_BODY_ABORTED`: the sender closed the connection before the body's end.
 * - `CS_BODY_NOT_JSON`: the body is not strict JSON: its syntax, UTF-8, a duplicate member, or too deep.
 * - `CS_REQUEST_UNREADABLE`: the runtime cannot build a request, for example because of an invalid Host.
 * - `CS_EVENT_ENVELOPE`: the id, type, timestamp or data is missing or invalid where the profile expects it.
 * - `CS_EVENT_ID_MISMATCH`: the signed id is not the id in the body.
 * - `CS_EVENT_SCHEMA`: the data of a known type does not match its schema. A retry is validated again.
 * - `CS_EVENT_ID_REUSED`: the id is known with another body.
 * - `CS_RECEIVER_BUSY`: no handler was free within `limits.answerMs`, or bodies use all of `limits.bytesInFlight`.
 */
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

/**
 * Reasons for which an authentic event is not handled this time: 503, and the sender's next attempt tries again.
 *
 * - `CS_HANDLER_FAILED`: the handler threw. The next attempt runs it again.
 * - `CS_HANDLER_TIMEOUT`: the handler took longer than `limits.answerMs`. It keeps its claim until it ends or its lease does.
 * - `CS_CLAIM_LOST`: the handler was still running when its lease ended. Its transaction has written nothing.
 * - `CS_INBOX_UNAVAILABLE`: the inbox failed, or did not answer in time.
 * - `CS_SECRETS_UNAVAILABLE`: the `secrets` function failed, or did not return `{ tenant, secrets }`.
 * - `CS_RECEIVER_FAILED`: a fault in the receiver or in `respond`. The log has the error.
 */
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

/** Returns the verified event of an outcome, if it has one. */
export const eventOf = (outcome: Outcome): EventIdentity | undefined =>
  "key" in outcome ? { key: outcome.key, type: outcome.type } : outcome.event;

/** True if a step ended the attempt instead of returning its value. */
export function isOutcome(step: object): step is Outcome {
  return "kind" in step;
}

/** True for errors of any realm: test runners such as Jest run an app in another realm than Node's own errors. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
