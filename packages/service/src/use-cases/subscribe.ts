import { select, type SubscriptionDetails } from "@countersign/rules";
import { endpointUrl } from "../delivery/endpoint-url.ts";
import { newId } from "../ids.ts";
import { sha256Hex } from "../sha256.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { hasClientSecret, lockMerchant, type Merchant } from "../store/tables/merchants.ts";
import {
  countOpenSubscriptions,
  secretPlace,
  insertSubscription,
} from "../store/tables/subscriptions.ts";
import type { Context } from "./context.ts";
import { refusesDetails } from "./refuses-details.ts";
import { unknownEvents } from "./unknown-events.ts";

export interface NewSubscription {
  readonly url: string;
  /** Signs the deliveries; how it becomes a key is the scheme's to say. */
  readonly secretKey: string;
  readonly subscriptionDetails: SubscriptionDetails;
}

export type SubscribeOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  | {
      readonly ok: false;
      readonly code:
        | "INVALID_URL"
        | "WEAK_SECRET"
        | "INVALID_SUBSCRIPTION_DETAILS"
        | "SUBSCRIPTION_LIMIT_REACHED";
    }
  | {
      readonly ok: false;
      readonly code: "UNKNOWN_EVENT";
      /** Places in `details`, from 0. */
      readonly at: readonly number[];
    };

/**
 * Makes a subscription (S 4.3). Two of one address are two: each event goes to both.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 * @throws {SecretKeysError} `CS_SECRET_KEYS`: the service was made without a vault.
 */
export async function subscribe(
  context: Context,
  merchant: Merchant,
  { url, secretKey, subscriptionDetails }: NewSubscription,
): Promise<SubscribeOutcome> {
  const policy = { allowLoopback: context.allowLoopbackHttp };
  const endpoint = endpointUrl(url, policy);
  if (endpoint === undefined) return { ok: false, code: "INVALID_URL" };
  if (!context.policy.acceptsSecret(secretKey)) return { ok: false, code: "WEAK_SECRET" };
  if (refusesDetails(subscriptionDetails, context.policy)) {
    return { ok: false, code: "INVALID_SUBSCRIPTION_DETAILS" };
  }
  const at = unknownEvents(subscriptionDetails, context.policy.events.catalogue);
  if (at.length > 0) return { ok: false, code: "UNKNOWN_EVENT", at };

  const secretHash = sha256Hex(secretKey);
  const merchantId = merchant.id;
  return context.driver.transaction<SubscribeOutcome>(async (tx) => {
    // The client's secret opens the whole interface, and would be known to the merchant's receiver.
    const reused = await hasClientSecret(tx, { merchantId, secretHash });
    if (reused) return { ok: false, code: "WEAK_SECRET" };
    await lockMerchant(tx, merchantId);
    const open = await countOpenSubscriptions(tx, merchantId);
    if (open >= context.policy.subscription.maxPerMerchant) {
      return { ok: false, code: "SUBSCRIPTION_LIMIT_REACHED" };
    }
    const subscriptionKey = newId(context.random, "sub");
    await insertSubscription(tx, merchant, {
      key: subscriptionKey,
      url: endpoint.href,
      secret: context.vault.seal(secretKey, secretPlace(subscriptionKey)),
      status: "ACTIVE",
      selection: select(subscriptionDetails),
      createdAt: await instantOf(tx, context.clock, merchant.clockId),
    });
    return { ok: true, subscriptionKey };
  });
}
