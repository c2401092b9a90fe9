import type { RefusalFacts, SignatureErrorCode } from "@countersign/signatures";
import type { RecordedEvent } from "../inbox/inbox.ts";

/** Reasons to refuse an attempt, with the status of the default answer; "alike" is that of a refused signature. */
export const REJECTIONS = {
  /** The method is not POST, nor GET for a handshake. */
  CS_METHOD_NOT_ALLOWED: 405,
  /** `keyOf` found no key for the value that the attempt names. The sender sees `CS_SIGNATURE_REFUSED`. */
  CS_KEY_UNKNOWN: "alike",
  /** `secrets` knows no tenant for this attempt. The sender sees `CS_SIGNATURE_REFUSED`. */
  CS_TENANT_UNKNOWN: "alike",
  /** A parser has read the body before the receiver. The answer names the line to change. */
  CS_BODY_CONSUMED: 500,
  /** The body has a Content-Encoding other than `identity`. */
  CS_BODY_ENCODED: 415,
  /** The Content-Type is not one that the provider sends, in UTF-8. */
  CS_BODY_MEDIA_TYPE: 415,
  /** The body is larger than `limits.bodyBytes`. */
  CS_BODY_TOO_LARGE: 413,
  /** The body did not arrive within `limits.bodyMs`. */
  CS_BODY_TIMEOUT: 408,
  /** The sender closed the connection before the body's end. */
  CS_BODY_ABORTED: 400,
  /** The body is not strict JSON: its syntax, UTF-8, a duplicate member, or too deep. */
  CS_BODY_NOT_JSON: 400,
  /** The runtime cannot build a request, for example because of an invalid Host. */
  CS_REQUEST_UNREADABLE: 400,
  /** The id or type is missing or invalid where the provider's document expects it, or, with the option `mode`, the mode. */
  CS_EVENT_ENVELOPE: 400,
  /** The data of a known type does not match its schema. A retry is validated again. */
  CS_EVENT_SCHEMA: 422,
  /** The id is known with another body. */
  CS_EVENT_ID_REUSED: 409,
  /** No handler was free within `limits.answerMs`, or bodies use all of `limits.bytesInFlight`. */
  CS_RECEIVER_BUSY: 503,
} as const;

export type RejectionCode = SignatureErrorCode | keyof typeof REJECTIONS;

/**
 * Reasons for which an authentic event is not handled this time: 503, and the sender's next attempt tries again.
 *
 * - `CS_HANDLER_FAILED`: the handler threw. The next attempt runs it again.
 * - `CS_HANDLER_TIMEOUT`: the handler took longer than `limits.answerMs`. It keeps its claim until it ends or its lease does.
 * - `CS_CLAIM_LOST`: the handler was still running when its lease ended. Its transaction has written nothing.
 * - `CS_INBOX_UNAVAILABLE`: the inbox failed, or did not answer in time.
 * - `CS_SECRETS_UNAVAILABLE`: the `secrets` function failed, or did not return `{ tenant, secrets }`.
 * - `CS_KEY_UNAVAILABLE`: `keyOf` failed, did not answer in time, returned an unusable key, or would be called too often: for 20 new names at once, or more than one a second.
 * - `CS_RECEIVER_FAILED`: a fault in the receiver or in `respond`. The log has the error.
 */
export type FailureCode =
  | "CS_HANDLER_FAILED"
  | "CS_HANDLER_TIMEOUT"
  | "CS_CLAIM_LOST"
  | "CS_INBOX_UNAVAILABLE"
  | "CS_SECRETS_UNAVAILABLE"
  | "CS_KEY_UNAVAILABLE"
  | "CS_RECEIVER_FAILED";

/** The signed identity of an event. */
export type EventIdentity = Pick<RecordedEvent, "key" | "type">;

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
  /** The media types that the provider sends. */
  readonly expected?: readonly string[];
  /** The Content-Encoding that is refused; `null` if it was sent twice. */
  readonly contentEncoding?: string | null;
  readonly method?: string;
  /** The line of the app to change. The sender sees it too: usually it is the developer. */
  readonly fix?: string;
}

/** An answer, for any framework. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or `''` for no body. */
  readonly body: string;
}

/**
 * The receiver's decision about one attempt.
 *
 * - `handled`: its handler ran and succeeded. `unrouted`: the fallback ran and succeeded.
 * - `duplicate`: this event was handled or stored before; nothing ran.
 * - `ignored`: it is of another mode than the option `mode`; nothing ran, and nothing is recorded.
 * - `superseded`: a newer event of the same resource was handled before; nothing ran.
 * - `stored`: it is stored durably, and a worker handles it later.
 * - `in_progress`: another attempt of this event is being handled.
 * - `handshake`: a challenge or a ping was answered; nothing is recorded.
 * - `batch`: each of its events has an outcome. Acknowledged only if each of them is.
 * - `failed`: authentic, but not handled this time; nothing is recorded as handled.
 * - `rejected`: refused, and not recorded.
 */
export type Outcome =
  | (EventIdentity & {
      readonly kind: "handled" | "unrouted" | "stored";
      /** Key of an earlier event with the same signed bytes: a replay, if the sender does not repeat itself. */
      readonly sameBytesAs?: string;
      /** Faults of a body that does not fit its schema and ran nevertheless. */
      readonly schemaErrors?: readonly RejectionDetail[];
      /** The handler's answer as text, for providers that expect one. */
      readonly reply?: string;
      /** True: unsigned, from the provider's own list of events. */
      readonly reconciled?: true;
    })
  | (EventIdentity & {
      readonly kind: "duplicate";
      /** `bytes` only with `replay: 'refuse'`. */
      readonly by: "id" | "bytes";
      /** Key of the event that was recorded first. */
      readonly firstKey: string;
      /** Milliseconds since 1970. */
      readonly firstSeenAt: number;
      readonly bodyDiffers: boolean;
    })
  | (EventIdentity & { readonly kind: "superseded" | "ignored" })
  | { readonly kind: "handshake"; readonly response: ReceiverResponse }
  | { readonly kind: "batch"; readonly outcomes: readonly Outcome[] }
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

/** The secret that signed an attempt. */
export interface Signer {
  /** Its index in the list. */
  readonly secretIndex: number;
  /** Its label, if it has one. */
  readonly secretLabel?: string;
}

/** Facts about an outcome: the second argument of `onOutcome`. */
export interface OutcomeFacts extends Partial<Signer> {
  /** From the attempt's arrival, or the worker's take, to the outcome, in milliseconds. */
  readonly durationMs: number;
  /** Status of the answer; absent for `receiver.receive()` and workers. */
  readonly status?: number;
  /** True: the handler's own outcome, after its attempt had to be answered. */
  readonly late?: true;
  /** Present for a worker's run of a stored event. */
  readonly worker?: WorkerFacts;
}

/** A worker's run of a stored event. */
export interface WorkerFacts {
  /** This attempt's number, from 1. */
  readonly attempts: number;
  /** True: the event is given up and listed by `receiver.dead()`. */
  readonly dead: boolean;
}

export type Failed = Extract<Outcome, { readonly kind: "failed" }>;
export type Rejected = Extract<Outcome, { readonly kind: "rejected" }>;

/** Refuses an attempt. */
export function rejected(
  code: RejectionCode,
  about: Pick<Rejected, "event" | "details" | "facts"> = {},
): Rejected {
  return { kind: "rejected", code, ...about };
}

/** Fails an attempt; the sender, or a worker, tries again. */
export function failed(
  code: FailureCode,
  error: unknown,
  event?: EventIdentity,
  waitMs = 5000,
): Failed {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return { kind: "failed", code, retryAfterSeconds, ...(event && { event }), error };
}

/** Returns the verified event of an outcome, if it has one. */
export function eventOf(outcome: Outcome): EventIdentity | undefined {
  if ("key" in outcome) return { key: outcome.key, type: outcome.type };
  return "event" in outcome ? outcome.event : undefined;
}

/** True if a step ended the attempt instead of returning its value. */
export function isOutcome(step: object): step is Outcome {
  return "kind" in step;
}
