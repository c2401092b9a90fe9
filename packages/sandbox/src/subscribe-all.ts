import { secretPlace, type Merchant, type SealedSecret } from "@countersign/service";
import type { RunningSandbox } from "./sandbox.ts";

export type SubscribeAllOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  /** `code` is that of the call to subscribe: `INVALID_URL`, `WEAK_SECRET`, … */
  | { readonly ok: false; readonly code: string };

/**
 * Subscribes an address to ALL, unless it is subscribed with this very secret: a sandbox that is
 * started again with the same address goes on delivering what waits.
 *
 * @throws {SecretRefusedError} `CS_SECRET_REFUSED`: a secret in the database was changed.
 */
export async function subscribeAll(
  { service, vault }: Pick<RunningSandbox, "service" | "vault">,
  merchant: Merchant,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<SubscribeAllOutcome> {
  const href = URL.canParse(url) ? new URL(url).href : url;
  const rows = await service.driver.query<SealedSecret & { key: string }>(
    `SELECT key, secret AS text, secret_key_id AS "keyId" FROM subscriptions
     WHERE merchant_id = $1 AND url = $2 AND status <> 'CLOSED'`,
    [merchant.id, href],
  );
  const present = rows.find((row) => vault.open(row, secretPlace(row.key)) === secret);
  if (present !== undefined) return { ok: true, subscriptionKey: present.key };
  return service.useCases.subscribe(merchant, {
    url,
    secretKey: secret,
    subscriptionDetails: { type: "ALL" },
  });
}
