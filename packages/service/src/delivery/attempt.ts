import type { Clock } from "../clock.ts";
import type { AttemptErrorCode } from "./attempt-error.ts";
import type { Claim } from "./claim.ts";
import { endpointUrl, type EndpointPolicy } from "./endpoint-url.ts";
import { SecretRefusedError, type Vault } from "../secrets/vault.ts";
import { secretPlace } from "../store/tables/subscriptions.ts";
import type { Signer } from "./signer.ts";
import type { Answer, Transport } from "./transport.ts";

/** One attempt that was made, or could not be. */
export interface Attempt {
  readonly claim: Claim;
  /** Real time, in milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly answer: Answer;
}

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

type Subscription = Claim["subscription"];

type Endpoint =
  | { readonly ok: true; readonly url: URL; readonly secret: string }
  | { readonly ok: false; readonly code: AttemptErrorCode };

/** Endpoints whose URL is parsed and whose secret is open, for as long as their subscriptions have something due. */
export type OpenEndpoints = WeakMap<Subscription, Endpoint>;

/**
 * Makes one attempt: signs the stored payload's bytes and posts those very bytes. The id is the
 * event's in every attempt, the timestamp is this attempt's and real time: receivers compare it with
 * their own clock. Never rejects for anything that a merchant has chosen.
 *
 * @see Standard Webhooks, "Webhook metadata" and "Verifying signatures"
 */
export async function attempt(
  claim: Claim,
  ports: AttemptPorts,
  open: OpenEndpoints = new WeakMap(),
): Promise<Attempt> {
  const startedAt = ports.clock.now();
  const answer = await signAndPost({ claim, startedAt, open }, ports);
  return { claim, startedAt, durationMs: Math.max(0, ports.clock.now() - startedAt), answer };
}

async function signAndPost(
  { claim, startedAt, open }: { claim: Claim; startedAt: number; open: OpenEndpoints },
  ports: AttemptPorts,
): Promise<Answer> {
  const endpoint = openEndpoint(claim.subscription, { open, ports });
  if (!endpoint.ok) return { kind: "unanswered", code: endpoint.code };
  const { url, secret } = endpoint;
  const body = Buffer.from(claim.payload, "utf8");
  const message = { id: claim.eventId, timestamp: Math.floor(startedAt / 1000), body };
  const signature = ports.sign(message, secret);
  if (signature === undefined) return { kind: "unanswered", code: "CS_ATTEMPT_SECRET_UNUSABLE" };
  const headers = {
    ...signature,
    "content-type": "application/json",
    "user-agent": ports.userAgent,
  };
  return ports.transport.post({ url, headers, body, merchantId: claim.merchantId });
}

function openEndpoint(
  subscription: Subscription,
  { open, ports }: { open: OpenEndpoints; ports: AttemptPorts },
): Endpoint {
  let endpoint = open.get(subscription);
  if (endpoint === undefined) {
    endpoint = endpointOf(subscription, ports);
    open.set(subscription, endpoint);
  }
  return endpoint;
}

function endpointOf({ key, url: text, secret }: Subscription, ports: AttemptPorts): Endpoint {
  const url = endpointUrl(text, ports.endpoints);
  if (url === undefined) return { ok: false, code: "CS_ATTEMPT_URL_REFUSED" };
  try {
    return { ok: true, url, secret: ports.vault.open(secret, secretPlace(key)) };
  } catch (error) {
    if (error instanceof SecretRefusedError) return { ok: false, code: "CS_ATTEMPT_SECRET_SEALED" };
    throw error;
  }
}
