import type { Outcome, RejectionCode } from "./outcome.ts";

/** An answer, for any framework. */
export interface ReceiverResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or `''` for no body. */
  readonly body: string;
}

/** Maps an outcome to an answer; `createReceiver({ respond })` replaces the default one. */
export type Respond = (outcome: Outcome) => ReceiverResponse;

const RETRY_AFTER_BUSY_SECONDS = 5;

/**
 * The default answers. A 2xx acknowledges: the sender stops. Anything else makes it try again.
 * A sender sees a code and the event's id; never a message, a stack or a secret.
 */
export function defaultRespond(outcome: Outcome): ReceiverResponse {
  switch (outcome.kind) {
    case "handled":
    case "unrouted":
    case "duplicate":
    case "superseded":
      return { status: 204, headers: {}, body: "" };
    case "stored":
      return { status: 202, headers: {}, body: "" };
    case "in_progress":
      return json(409, "CS_EVENT_IN_PROGRESS", outcome.key.id, outcome.retryAfterSeconds);
    case "failed":
      return json(503, outcome.code, outcome.event?.key.id, outcome.retryAfterSeconds);
    case "rejected": {
      const { status, shown } = rejections[outcome.code] ?? signatureRejection;
      const retryAfter = status === 503 ? RETRY_AFTER_BUSY_SECONDS : undefined;
      return json(status, shown ?? outcome.code, outcome.event?.key.id, retryAfter);
    }
    default:
      return outcome satisfies never;
  }
}

interface Rejection {
  readonly status: number;
  /** The code that the sender sees, where it is not the rejection's own. */
  readonly shown?: string;
}

/** All alike to the sender, byte for byte: why a signature is refused helps nobody but a forger. */
const signatureRejection: Rejection = { status: 401, shown: "CS_SIGNATURE_REFUSED" };

/** Every rejection but those of the signature, which are 401 together. */
const rejections: Readonly<Partial<Record<RejectionCode, Rejection>>> = {
  CS_BODY_CONSUMED: { status: 500 },
  CS_BODY_ENCODED: { status: 415 },
  CS_BODY_MEDIA_TYPE: { status: 415 },
  CS_BODY_TOO_LARGE: { status: 413 },
  CS_BODY_TIMEOUT: { status: 408 },
  CS_BODY_ABORTED: { status: 400 },
  CS_BODY_NOT_JSON: { status: 400 },
  CS_REQUEST_UNREADABLE: { status: 400 },
  CS_EVENT_ENVELOPE: { status: 400 },
  CS_EVENT_ID_MISMATCH: { status: 400 },
  CS_EVENT_SCHEMA: { status: 422 },
  CS_EVENT_ID_REUSED: { status: 409 },
  CS_RECEIVER_BUSY: { status: 503 },
};

/** What a developer changes when a parser has read the body; it stands in the answer and in the log. */
export const BODY_CONSUMED_FIX: string =
  "a parser such as express.json() has read the body before the receiver: " +
  "move app.post(path, toExpress(receiver)) above app.use(express.json())";

function json(
  status: number,
  code: string,
  id: string | undefined,
  retryAfterSeconds: number | undefined,
): ReceiverResponse {
  const fix = code === "CS_BODY_CONSUMED" ? BODY_CONSUMED_FIX : undefined;
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ code, id, fix }),
  };
}
