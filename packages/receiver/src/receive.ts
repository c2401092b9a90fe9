import { hash } from "node:crypto";
import type { HeadersLike } from "@countersign/signatures";
import { type Envelope, readEnvelope } from "./envelope.ts";
import { runHandler } from "./run-handler.ts";
import { headerOf } from "./headers.ts";
import { isJsonMediaType } from "./media-type.ts";
import { type EventIdentity, type Outcome, rejected } from "./outcome.ts";
import type { BodyReader } from "./read-body.ts";
import type { ReceiverParts } from "./receiver-parts.ts";
import type { Route } from "./router.ts";

/** One HTTP POST, as far as the receiver cares. */
export interface Attempt {
  readonly headers: HeadersLike;
  /** The bytes as they arrived, or a reader that has not begun: a body that is refused by its headers is never read. */
  readonly body: Uint8Array | BodyReader;
  /** The request's path, for `secrets` to tell tenants apart. */
  readonly path?: string;
}

/**
 * The flow of one attempt: limits → signature → strict decode → envelope → schema → claim → handler →
 * settlement. Each step returns the next value or the outcome that ends the flow. Never rejects.
 */
export async function receive(attempt: Attempt, parts: ReceiverParts): Promise<Outcome> {
  const body = await readBody(attempt, parts);
  if (isOutcome(body)) return body;

  const verified = await verify(attempt, body, parts);
  if (isOutcome(verified)) return verified;

  // Only now is anything of the body believed.
  const envelope = readEnvelope(body, verified, parts);
  if (isOutcome(envelope)) return envelope;

  const invalid = validate(envelope, parts);
  if (invalid !== undefined) return invalid;

  return handleOnce(body, envelope, parts);
}

const isOutcome = (step: object): step is Outcome => "kind" in step;

/** The headers are judged first, so that a body that is refused anyway is never read. */
async function readBody(attempt: Attempt, parts: ReceiverParts): Promise<Uint8Array | Outcome> {
  const encoding = headerOf(attempt.headers, "content-encoding");
  if (encoding !== undefined && encoding?.toLowerCase() !== "identity")
    return rejected("CS_BODY_ENCODED");
  const mediaType = headerOf(attempt.headers, "content-type");
  if (mediaType === null || !isJsonMediaType(mediaType)) return rejected("CS_BODY_MEDIA_TYPE");
  const announced = headerOf(attempt.headers, "content-length");
  if (Number(announced ?? 0) > parts.limits.bodyBytes) return rejected("CS_BODY_TOO_LARGE");

  const body = typeof attempt.body === "function" ? await attempt.body(parts.limits) : attempt.body;
  if ("error" in body) return rejected(body.error);
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

/** A known type must fit its schema; an unknown one passes, since senders add types without notice. */
function validate(envelope: Envelope, { catalogue }: ReceiverParts): Outcome | undefined {
  const entry = catalogue.get(envelope.identity.type);
  if (entry === undefined) return undefined;
  const { identity: event } = envelope;
  const validation = entry.validate(envelope.body);
  if (!validation.ok)
    return rejected("CS_EVENT_SCHEMA", {
      event,
      details: validation.errors.map(({ pointer, message }) => ({ pointer, message })),
    });
  // Judged on the source text: the parsed number of 0.1000000000000000055 is 0.1.
  const pointer = entry.amounts.find((amount) => envelope.inexact.has(amount));
  return pointer === undefined
    ? undefined
    : rejected("CS_EVENT_SCHEMA", {
        event,
        details: [{ pointer, message: "has more digits than an amount of cents" }],
      });
}

/** Claims, runs and settles. From here on the inbox decides who may run the handler. */
async function handleOnce(
  body: Uint8Array,
  envelope: Envelope,
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const leave = parts.slots.enter();
  if (leave === undefined) return rejected("CS_RECEIVER_BUSY", { event });
  try {
    const digest = hash("sha256", body, "base64url");
    const claimedAt = parts.now();
    const claim = await parts.inbox.claim({
      ...event,
      digest,
      leaseMs: parts.leaseMs,
      now: claimedAt,
    });
    switch (claim.state) {
      case "handled":
        return { kind: "duplicate", ...event };
      case "conflict":
        return rejected("CS_EVENT_ID_REUSED", { event });
      case "busy": {
        const retryAfterSeconds = Math.max(1, Math.ceil((claim.until - claimedAt) / 1000));
        return { kind: "in_progress", ...event, retryAfterSeconds };
      }
      case "claimed": {
        const category = parts.catalogue.get(event.type)?.category;
        const route = parts.router.find(event.type, category);
        return await handleClaimed(envelope, { route, token: claim.token }, parts);
      }
      default:
        return claim satisfies never;
    }
  } catch (error) {
    return failed("CS_INBOX_UNAVAILABLE", event, error);
  } finally {
    leave();
  }
}

async function handleClaimed(
  envelope: Envelope,
  { route, token }: { readonly route: Route; readonly token: number },
  parts: ReceiverParts,
): Promise<Outcome> {
  const { identity: event } = envelope;
  const run = await runHandler(route, envelope, parts.limits.handlerMs);
  const settlement = { key: event.key, token, now: parts.now() };
  if (!run.ok) {
    // A release that fails is no second failure: the lease ends by itself.
    await parts.inbox.release(settlement).catch(() => false);
    return failed(run.code, event, run.error);
  }
  if (!(await parts.inbox.complete(settlement)))
    return failed("CS_CLAIM_LOST", event, new Error("the handler outlived its lease"));
  return { kind: route.fallback ? "unrouted" : "handled", ...event };
}

function failed(
  code: Extract<Outcome, { kind: "failed" }>["code"],
  event: EventIdentity,
  error: unknown,
): Outcome {
  return { kind: "failed", code, retryAfterSeconds: 5, event, error };
}
