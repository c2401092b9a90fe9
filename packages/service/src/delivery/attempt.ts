import type { Clock } from "../clock.ts";
import { SecretRefusedError } from "../secrets/vault.ts";
import type { Vault } from "../secrets/vault.ts";
import { secretPlace } from "../store/tables/subscriptions.ts";
import type { AttemptErrorCode } from "./egress/attempt-error.ts";
import { endpointUrl, type EndpointPolicy } from "./egress/endpoint-url.ts";
import type { Signer } from "./signer.ts";
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
  return transport.post({ url: target.url, headers, body, merchantId: endpoint.merchantId });
}
