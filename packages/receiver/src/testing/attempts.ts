import { AssertionError } from "node:assert";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf, type Secret, type SignatureScheme } from "@countersign/signatures";
import type { Attempt } from "../pipeline/body.ts";
import { type EventIdentity, eventOf, type Outcome } from "../pipeline/outcome.ts";

export interface SignedAttemptOptions {
  /** The sender's document. */
  readonly provider: ProviderDocument;
  /** Signs the attempt; several sign it several times, as a sender does that replaces a secret. */
  readonly secrets: readonly Secret[];
  /** The body: an event that is printed as JSON, or the text or bytes as they are. */
  readonly event: object | string | Uint8Array;
  /** The signed id, for providers that sign one. Default: the event's own `id`. */
  readonly id?: string;
  /** Further headers, such as `X-GitHub-Event`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The public URL, for providers that sign it. */
  readonly url?: string;
  /** The attempt's time, in milliseconds since 1970; signed in whole seconds. Default `Date.now()`. */
  readonly now?: number;
}

export interface SignedAttempt {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly url?: string;
}

/**
 * Returns a genuine attempt, as a provider sends it.
 *
 * @throws {TypeError} a secret is unusable, or the provider signs an id and neither `id` nor the event has one.
 */
export function signedAttempt(options: SignedAttemptOptions): SignedAttempt {
  const { provider, secrets, event, headers = {}, url, now = Date.now() } = options;
  const id = options.id ?? idOf(event);
  if (id === undefined && provider.id !== undefined)
    throw new TypeError('signedAttempt: "id" is missing, and the event has none');
  const body =
    event instanceof Uint8Array
      ? new Uint8Array(event)
      : new TextEncoder().encode(typeof event === "string" ? event : JSON.stringify(event));
  const sent = { "content-type": provider.media?.[0] ?? "application/json", ...headers };
  const message = {
    id,
    timestamp: Math.floor(now / 1000),
    body,
    headers: sent,
    url,
    method: "POST",
  };
  const scheme = schemes.get(provider) ?? schemeOf(provider);
  schemes.set(provider, scheme);
  const signed = scheme.sign(message, secrets);
  const at = signed.url ?? url;
  return {
    headers: { ...sent, ...signed.headers },
    body: signed.body ?? body,
    ...(at !== undefined && { url: at }),
  };
}

/** A scheme keeps imported keys, which cost more than a signature. */
const schemes = new WeakMap<ProviderDocument, SignatureScheme>();

function idOf(event: object | string | Uint8Array): string | undefined {
  return typeof event === "object" && "id" in event && typeof event.id === "string"
    ? event.id
    : undefined;
}

/**
 * Gives an attempt to a receiver and expects that a registered handler ran and succeeded; the fallback
 * does not count.
 *
 * @returns The identity of the handled event.
 * @throws {AssertionError} any other outcome: the message has its code and the body's faults; `cause` is
 *   the error of a handler, the inbox or `secrets`.
 */
export async function expectHandled(
  receiver: { receive(attempt: Attempt): Promise<Outcome> },
  attempt: Attempt,
): Promise<EventIdentity> {
  const outcome = await receiver.receive(attempt);
  if (outcome.kind === "handled") return { key: outcome.key, type: outcome.type };
  const error = new AssertionError({
    message: `expected the attempt to be handled, but ${describe(outcome)}`,
    actual: outcome.kind,
    expected: "handled",
    operator: "expectHandled",
    stackStartFn: expectHandled,
  });
  if (outcome.kind === "failed") error.cause = outcome.error;
  throw error;
}

function describe(outcome: Outcome): string {
  if (outcome.kind === "batch")
    return `it is a batch: ${outcome.outcomes.map(describe).join("; ")}`;
  const words: (string | undefined)[] = [eventOf(outcome)?.key.id];
  if ("code" in outcome) words.push(outcome.code);
  if (outcome.kind === "unrouted")
    words.push(`no handler is registered for ${JSON.stringify(outcome.type)} or its category`);
  if (outcome.kind === "rejected")
    for (const { pointer = "the body", message } of outcome.details ?? [])
      words.push(`${pointer} ${message}`);
  const about = words.filter((word) => word !== undefined).join("; ");
  return `it is ${outcome.kind}${about && `: ${about}`}`;
}
