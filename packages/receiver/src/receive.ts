import type { HeadersLike } from "@countersign/signatures";
import { readEnvelope } from "./envelope.ts";
import { handleOnce } from "./handle-once.ts";
import { headersOf } from "./headers.ts";
import { isJsonMediaType } from "./media-type.ts";
import { type Outcome, rejected } from "./outcome.ts";
import type { BodyReader } from "./read-body.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
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
 * The flow of one attempt: limits → signature → strict decode → envelope → schema → then by
 * `acknowledge`: claim → order guard → handler → settlement, or the inbox's queue for a worker. Each step returns the next value or the outcome that ends the flow. Never rejects.
 */
export async function receive(attempt: Attempt, parts: ReceiverParts): Promise<Outcome> {
  const body = await readBody(attempt, parts);
  if (!(body instanceof Uint8Array)) return body;

  const verified = await verify(attempt, body, parts);
  if (isOutcome(verified)) return verified;

  // Only now is anything of the body believed.
  const envelope = readEnvelope(body, verified, parts);
  if (isOutcome(envelope)) return envelope;

  const invalid = validate(envelope, parts);
  if (invalid !== undefined) return invalid;

  return parts.queue === undefined
    ? handleOnce(body, envelope, parts)
    : storeEvent(body, envelope, parts, parts.queue);
}

const isOutcome = (step: object): step is Outcome => "kind" in step;

const JUDGED_HEADERS = ["content-encoding", "content-type", "content-length"];

/** The headers are judged first, so that a body that is refused anyway is never read. */
async function readBody(attempt: Attempt, parts: ReceiverParts): Promise<Uint8Array | Outcome> {
  const [encoding, mediaType, announced] = headersOf(attempt.headers, JUDGED_HEADERS);
  if (encoding !== undefined && encoding?.toLowerCase() !== "identity")
    return rejected("CS_BODY_ENCODED");
  if (mediaType === null || !isJsonMediaType(mediaType)) return rejected("CS_BODY_MEDIA_TYPE");
  if (Number(announced ?? 0) > parts.limits.bodyBytes) return rejected("CS_BODY_TOO_LARGE");

  const body = typeof attempt.body === "function" ? await attempt.body(parts.limits) : attempt.body;
  if (!(body instanceof Uint8Array)) return rejected(body.error);
  return body.length > parts.limits.bodyBytes ? rejected("CS_BODY_TOO_LARGE") : body;
}

/** What a genuine signature proves. */
export interface Verified {
  readonly tenant: string;
  /** The signed id, where the scheme signs one. */
  readonly id: string | undefined;
}

async function verify(
  { headers, path }: Attempt,
  body: Uint8Array,
  { secretsOf, scheme, toleranceSeconds, now }: ReceiverParts,
): Promise<Verified | Outcome> {
  try {
    const { tenant, secrets } = await secretsOf({ headers, path });
    if (secrets.length === 0) return rejected("CS_TENANT_UNKNOWN");
    const options = { now: now(), toleranceSeconds };
    const verification = scheme.verify({ headers, body }, secrets, options);
    return verification.ok ? { tenant, id: verification.id } : rejected(verification.code);
  } catch (error) {
    // The merchant's own lookup is away, or it returned a secret that the scheme refuses.
    return { kind: "failed", code: "CS_SECRETS_UNAVAILABLE", retryAfterSeconds: 5, error };
  }
}
