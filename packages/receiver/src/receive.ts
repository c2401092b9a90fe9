import type { HeadersLike } from "@countersign/signatures";
import { after, type Awaitable, isPending } from "./awaitable.ts";
import { readEnvelope } from "./envelope.ts";
import { handleOnce } from "./handle-once.ts";
import { headersOf } from "./headers.ts";
import { isJsonMediaType } from "./media-type.ts";
import { type Outcome, rejected } from "./outcome.ts";
import type { BodyReader, BodyResult } from "./read-body.ts";
import type { ReceiverParts, TenantSecrets } from "./receiver-parts.ts";
import { storeEvent } from "./store-event.ts";
import { validate } from "./validate.ts";

/** One HTTP POST, as far as the receiver cares. */
export interface Attempt {
  readonly headers: HeadersLike;
  /** The bytes as they arrived, or a reader that has not begun: a body that is refused by its headers is never read. */
  readonly body: Uint8Array | BodyReader;
  /** The request's path, for `secrets` to tell tenants apart. */
  readonly path?: string;
}

/**
 * The flow of one attempt: limits → signature → then `decide`. Each step returns the next value or the
 * outcome that ends the flow, and only what is still to come is waited for: a turn of the event loop's
 * queue takes as long as a step.
 */
export function receive(attempt: Attempt, parts: ReceiverParts): Awaitable<Outcome> {
  return after(readBody(attempt, parts), (read) => {
    const body = withinLimit(read, parts);
    if (isOutcome(body)) return body;
    // Nothing of the body is believed before this.
    return after(verify(attempt, body, parts), (verified) =>
      isOutcome(verified) ? verified : decide(body, verified, parts),
    );
  });
}

/**
 * An authentic body: strict decode → envelope → schema → then by `acknowledge`: claim → order guard →
 * handler → settlement, or the inbox's queue for a worker.
 */
function decide(body: Uint8Array, verified: Verified, parts: ReceiverParts): Awaitable<Outcome> {
  const envelope = readEnvelope(body, verified, parts);
  if (isOutcome(envelope)) return envelope;

  const invalid = validate(envelope, parts);
  if (invalid !== undefined) return invalid;

  return parts.queue === undefined
    ? handleOnce(body, envelope, parts)
    : storeEvent(body, envelope, parts, parts.queue);
}

const isOutcome = (step: object): step is Outcome => "kind" in step;

const judgedHeaders = headersOf(["content-encoding", "content-type", "content-length"]);

/** The headers are judged first, so that a body that is refused anyway is never read. */
function readBody(attempt: Attempt, parts: ReceiverParts): Awaitable<BodyResult | Outcome> {
  const [encoding, mediaType, announced] = judgedHeaders(attempt.headers);
  if (encoding !== undefined && encoding?.toLowerCase() !== "identity")
    return rejected("CS_BODY_ENCODED");
  if (mediaType === null || !isJsonMediaType(mediaType)) return rejected("CS_BODY_MEDIA_TYPE");
  if (Number(announced ?? 0) > parts.limits.bodyBytes) return rejected("CS_BODY_TOO_LARGE");

  return typeof attempt.body === "function" ? attempt.body(parts.limits) : attempt.body;
}

function withinLimit(read: BodyResult | Outcome, { limits }: ReceiverParts): Uint8Array | Outcome {
  if (!(read instanceof Uint8Array)) return isOutcome(read) ? read : rejected(read.error);
  return read.length > limits.bodyBytes ? rejected("CS_BODY_TOO_LARGE") : read;
}

/** What a genuine signature proves. */
export interface Verified {
  readonly tenant: string;
  /** The signed id, where the scheme signs one. */
  readonly id: string | undefined;
}

function verify(
  attempt: Attempt,
  body: Uint8Array,
  parts: ReceiverParts,
): Awaitable<Verified | Outcome> {
  const { headers, path } = attempt;
  try {
    const found = parts.secretsOf({ headers, path });
    return isPending(found)
      ? found.then((secrets) => judge(attempt, body, secrets, parts)).catch(secretsUnavailable)
      : judge(attempt, body, found, parts);
  } catch (error) {
    return secretsUnavailable(error);
  }
}

/** @throws {TypeError} A look-up returned a secret that the scheme refuses. */
function judge(
  { headers }: Attempt,
  body: Uint8Array,
  { tenant, secrets }: TenantSecrets,
  { scheme, toleranceSeconds, now }: ReceiverParts,
): Verified | Outcome {
  if (secrets.length === 0) return rejected("CS_TENANT_UNKNOWN");
  const verification = scheme.verify({ headers, body }, secrets, { now: now(), toleranceSeconds });
  return verification.ok ? { tenant, id: verification.id } : rejected(verification.code);
}

/** The merchant's own look-up is away, or what it returned is unusable. */
const secretsUnavailable = (error: unknown): Outcome => ({
  kind: "failed",
  code: "CS_SECRETS_UNAVAILABLE",
  retryAfterSeconds: 5,
  error,
});
