import type { Merchant, Service } from "@countersign/service";

export type SubscribeAllOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  /** `code` is that of the call to subscribe: `INVALID_URL`, `WEAK_SECRET`, … */
  | { readonly ok: false; readonly code: string };

/**
 * Subscribes an address to ALL, unless it is subscribed with this very secret: a sandbox that is
 * started again with the same address goes on delivering what waits.
 */
export async function subscribeAll(
  { driver, useCases }: Pick<Service, "driver" | "useCases">,
  merchant: Merchant,
  { url, secret }: { readonly url: string; readonly secret: string },
): Promise<SubscribeAllOutcome> {
  const href = URL.canParse(url) ? new URL(url).href : url;
  const [present] = await driver.query<{ key: string }>(
    `SELECT key FROM subscriptions
     WHERE merchant_id = $1 AND url = $2 AND secret = $3 AND status <> 'CLOSED'`,
    [merchant.id, href, secret],
  );
  if (present !== undefined) return { ok: true, subscriptionKey: present.key };
  return useCases.subscribe(merchant, {
    url,
    secretKey: secret,
    subscriptionDetails: { type: "ALL" },
  });
}
