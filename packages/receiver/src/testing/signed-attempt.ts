import { type Secret, type SignatureScheme, standardWebhooks } from "@countersign/signatures";

export interface SignedAttemptOptions {
  /** Signs the attempt; several sign it several times, as a sender does that replaces a secret. */
  readonly secrets: readonly Secret[];
  /** The body: an event that is printed as JSON, or the text or bytes as they are. */
  readonly event: object | string | Uint8Array;
  /** The signed id. Default: the event's own `id`. */
  readonly id?: string;
  /** The attempt's time, in milliseconds since 1970; signed in whole seconds. Default `Date.now()`. */
  readonly now?: number;
  /** Default `standardWebhooks()`. */
  readonly scheme?: SignatureScheme;
}

export interface SignedAttempt {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * A genuine attempt, as a provider sends it: for tests of a merchant's handlers, without a network.
 *
 * @throws {TypeError} a secret is unusable, or there is no `id` and the event has none.
 */
export function signedAttempt(options: SignedAttemptOptions): SignedAttempt {
  const { secrets, event, now = Date.now(), scheme = standardWebhooks() } = options;
  const id = options.id ?? idOf(event);
  if (id === undefined)
    throw new TypeError('signedAttempt: "id" is missing, and the event has none');
  const body =
    event instanceof Uint8Array
      ? new Uint8Array(event)
      : new TextEncoder().encode(typeof event === "string" ? event : JSON.stringify(event));
  const signature = scheme.sign({ id, timestamp: Math.floor(now / 1000), body }, secrets);
  return { headers: { "content-type": "application/json", ...signature }, body };
}

function idOf(event: object | string | Uint8Array): string | undefined {
  return typeof event === "object" && "id" in event && typeof event.id === "string"
    ? event.id
    : undefined;
}
