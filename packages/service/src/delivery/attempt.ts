import { providerOf } from "@countersign/schemas/provider-of";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Profile } from "@countersign/schemas/profiles";
import { type Message, type Secret, type SignatureScheme, schemeOf } from "@countersign/signatures";
import type { Clock } from "../clock.ts";
import { SecretRefusedError, type Vault } from "../secrets/vault.ts";
import { secretPlace } from "../store/tables/subscriptions.ts";
import { type EndpointPolicy, endpointUrl } from "./egress/addresses.ts";
import type { AttemptErrorCode } from "./egress/attempt-error.ts";
import type { Answer, Attempt, DueDelivery, Endpoint, Transport } from "./types.ts";

export interface AttemptPorts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly sign: Signer;
  /** Opens the secrets of subscriptions, which are in the clear nowhere else. */
  readonly vault: Pick<Vault, "open">;
  readonly endpoints: EndpointPolicy;
  /** Value of the `user-agent` header. */
  readonly userAgent: string;
}

/** An endpoint that can be posted to, or why it cannot. */
export type Target =
  | {
      readonly ok: true;
      readonly url: URL;
      readonly secret: string;
      readonly host: string;
      /** Merchant and origin: whoever has the same shares connections. */
      readonly pool: string;
    }
  | { readonly ok: false; readonly code: AttemptErrorCode };

/** Parses an endpoint's URL and opens its secret. */
export function openTarget(
  { key, merchantId, url: text, secret }: Endpoint,
  { endpoints, vault }: Pick<AttemptPorts, "endpoints" | "vault">,
): Target {
  const url = endpointUrl(text, endpoints);
  if (url === undefined) return { ok: false, code: "CS_ATTEMPT_URL_REFUSED" };
  try {
    const opened = vault.open(secret, secretPlace(key));
    return { ok: true, url, secret: opened, host: url.host, pool: `${merchantId} ${url.origin}` };
  } catch (error) {
    if (error instanceof SecretRefusedError) return { ok: false, code: "CS_ATTEMPT_SECRET_SEALED" };
    throw error;
  }
}

/**
 * Makes one attempt: signs the stored payload's bytes and posts those very bytes. The id is the event's in every
 * attempt; the timestamp is this attempt's wall time, which receivers compare with their own clock. Never rejects
 * for anything that a merchant has chosen.
 *
 * @see Standard Webhooks, "Webhook metadata" and "Verifying signatures"
 */
export async function makeAttempt(
  { endpoint, target, delivery }: { endpoint: Endpoint; target: Target; delivery: DueDelivery },
  ports: AttemptPorts,
): Promise<Attempt> {
  const startedAt = ports.clock.now();
  const begun = ports.clock.elapsed();
  const answer = await signAndPost({ endpoint, target, delivery, startedAt }, ports);
  const durationMs = Math.round(ports.clock.elapsed() - begun);
  return { endpoint, delivery, number: delivery.attempts + 1, startedAt, durationMs, answer };
}

async function signAndPost(
  {
    endpoint,
    target,
    delivery,
    startedAt,
  }: { endpoint: Endpoint; target: Target; delivery: DueDelivery; startedAt: number },
  { sign, transport, userAgent }: AttemptPorts,
): Promise<Answer> {
  if (!target.ok) return { kind: "unanswered", code: target.code };
  const body = Buffer.from(delivery.payload, "utf8");
  const message = { id: delivery.eventId, timestamp: Math.floor(startedAt / 1000), body };
  const signature = sign(message, target.secret);
  if (signature === undefined) return { kind: "unanswered", code: "CS_ATTEMPT_SECRET_UNUSABLE" };
  const headers = { ...signature, "content-type": "application/json", "user-agent": userAgent };
  const { merchantId } = endpoint;
  const { eventId } = delivery;
  return transport.post({ url: target.url, headers, body, merchantId, eventId });
}

/**
 * Signs one attempt with a subscription's `secretKey` as it was given. `undefined` where the secret
 * cannot sign: it was taken under another profile.
 */
export type Signer = (message: Message, secretKey: string) => Record<string, string> | undefined;

/** Secrets whose keys are kept imported: those that signed first go first. */
const MAX_LISTS = 1024;
/** Beside a subscription's secret: a scheme signs with four at most. */
const MAX_PROVIDER_KEYS = 3;

export interface SignerOptions {
  /**
   * The provider's own keys, `whsk_…`, that sign every attempt in addition to the subscription's secret, as `v1a`.
   * During an overlap there are two, the old and the new one; at most three. Default: none.
   */
  readonly providerKeys?: readonly string[];
}

/**
 * Returns the signer of a profile (S 5, rule 3).
 *
 * The scheme reads `secretKey` by the rule that the receiver and `countersign send` follow too.
 *
 * @throws {TypeError} A provider's key is not valid, there are more than three, or the profile's scheme uses none.
 */
export function signerOf(
  profile: Pick<Profile, "provider">,
  { providerKeys = [] }: SignerOptions = {},
): Signer {
  const provider = providerOf(profile);
  const scheme = schemeOf(provider);
  refuseUnusable(providerKeys, { scheme, signsByKeyPair: signsByKeyPair(provider) });
  // The lists as they were first made: the scheme finds the keys of a list that it knows at once.
  const lists = new Map<string, readonly Secret[] | undefined>();
  const listOf = (secretKey: string): readonly Secret[] | undefined => {
    if (lists.has(secretKey)) return lists.get(secretKey);
    const list = [secretKey, ...providerKeys];
    const usable = canSign(scheme, list) ? list : undefined;
    for (const oldest of lists.keys()) {
      if (lists.size < MAX_LISTS) break;
      lists.delete(oldest);
    }
    lists.set(secretKey, usable);
    return usable;
  };
  return (message, secretKey) => {
    const list = listOf(secretKey);
    return list && scheme.sign(message, list).headers;
  };
}

/** True if the provider also signs with the private key of a pair, as v1a of Standard Webhooks. */
export const signsByKeyPair = ({ signature }: ProviderDocument): boolean =>
  signature.carrier.some(({ algorithm }) => algorithm === "ed25519");

function refuseUnusable(
  providerKeys: readonly string[],
  options: { readonly scheme: SignatureScheme; readonly signsByKeyPair: boolean },
): void {
  if (providerKeys.length === 0) return;
  if (!options.signsByKeyPair || providerKeys.length > MAX_PROVIDER_KEYS) {
    throw new TypeError('"providerKeys" are one to three, of a provider that signs by v1a too');
  }
  if (!providerKeys.every((key) => key.startsWith("whsk_"))) {
    throw new TypeError('each of "providerKeys" begins with whsk_');
  }
  options.scheme.check(providerKeys, "sign");
}

function canSign(scheme: SignatureScheme, secrets: readonly Secret[]): boolean {
  try {
    scheme.check(secrets, "sign");
    return true;
  } catch {
    return false;
  }
}
