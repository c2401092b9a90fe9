import { select, exclude, isClosed, matches, type SubscriptionDetails } from "@countersign/rules";
import { endpointUrl } from "../delivery/egress/addresses.ts";
import { newId } from "../random.ts";
import type { Policy } from "../profile/policy.ts";
import { sha256Hex } from "../secrets/vault.ts";
import type { Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import { hasClientSecret, lockMerchant, type Merchant } from "../store/tables/merchants.ts";
import {
  listOpenSubscriptions,
  insertSubscription,
  dropWaitingDeliveries,
  listWaitingTypes,
  lockSubscription,
  updateSelection,
  type SubscriptionRecord,
} from "../store/tables/subscriptions.ts";
import type { Context, Refusal } from "./context.ts";

/** An unknown category, or an unknown type. `at`: the indexes in `details`. */
type DetailsRefusal = Refusal<"INVALID_SUBSCRIPTION_DETAILS" | "UNKNOWN_EVENT"> & {
  readonly at: readonly number[];
};

export interface NewSubscription {
  readonly url: string;
  /** Signs the deliveries; the scheme derives the key from it. */
  readonly secretKey: string;
  readonly subscriptionDetails: SubscriptionDetails;
}

export type SubscribeOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  | DetailsRefusal
  | Refusal<"INVALID_URL" | "WEAK_SECRET" | "SUBSCRIPTION_LIMIT_REACHED">;

/** Creates a subscription (S 4.3). Two subscriptions may have one URL: each event goes to both. */
export async function subscribe(
  context: Context,
  merchant: Merchant,
  { url, secretKey, subscriptionDetails }: NewSubscription,
): Promise<SubscribeOutcome> {
  const endpoint = endpointUrl(url, context.endpoints);
  if (endpoint === undefined) return { ok: false, code: "INVALID_URL" };
  if (!context.policy.acceptsSecret(secretKey)) return { ok: false, code: "WEAK_SECRET" };
  const refusal = refusalOfDetails(subscriptionDetails, context.policy);
  if (refusal !== undefined) return refusal;

  const secretHash = sha256Hex(secretKey);
  const merchantId = merchant.id;
  return context.driver.transaction<SubscribeOutcome>(async (tx) => {
    // The client's secret gives access to the whole interface; the merchant's receiver must not have it.
    if (await hasClientSecret(tx, { merchantId, secretHash }))
      return { ok: false, code: "WEAK_SECRET" };
    await lockMerchant(tx, merchantId);
    const open = await listOpenSubscriptions(tx, merchantId);
    if (open.length >= context.policy.subscription.maxPerMerchant)
      return { ok: false, code: "SUBSCRIPTION_LIMIT_REACHED" };
    const subscriptionKey = newId(context.random, "sub");
    await insertSubscription(tx, merchant, {
      key: subscriptionKey,
      url: endpoint.href,
      secret: context.vault.seal(secretKey, subscriptionKey),
      status: "ACTIVE",
      selection: select(subscriptionDetails),
      createdAt: await instantOf(tx, context.clock, merchant.clockId),
    });
    return { ok: true, subscriptionKey };
  });
}

export interface Unsubscription {
  readonly subscriptionId: string;
  /** The events or categories to stop receiving. */
  readonly subscriptionDetails: SubscriptionDetails;
}

export type UnsubscribeOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  | DetailsRefusal
  | Refusal<"SUBSCRIPTION_NOT_FOUND">;

/**
 * Removes events from a subscription (S 4.4), and closes it for good if none is left. Repeating a call
 * changes nothing and returns the same outcome. Waiting deliveries of removed events are dropped; an
 * attempt in flight may still arrive.
 */
export async function unsubscribe(
  context: Context,
  merchant: Merchant,
  { subscriptionId, subscriptionDetails }: Unsubscription,
): Promise<UnsubscribeOutcome> {
  const { catalogue } = context.policy;
  const refusal = refusalOfDetails(subscriptionDetails, context.policy);
  if (refusal !== undefined) return refusal;

  return context.driver.transaction<UnsubscribeOutcome>(async (tx) => {
    const named = { merchantId: merchant.id, key: subscriptionId };
    const subscription = await lockSubscription(tx, named);
    if (subscription === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
    const subscriptionKey = subscription.key;
    if (subscription.status === "CLOSED") return { ok: true, subscriptionKey };
    const selection = exclude(subscription.selection, subscriptionDetails);
    if (selection === subscription.selection) return { ok: true, subscriptionKey };
    const status = isClosed(selection, catalogue) ? "CLOSED" : subscription.status;
    const updatedAt = await instantOf(tx, context.clock, merchant.clockId);
    const changed: SubscriptionRecord = { ...subscription, selection, status };
    await updateSelection(tx, merchant.id, { ...changed, updatedAt });
    await dropUnwanted(tx, merchant, changed);
    return { ok: true, subscriptionKey };
  });
}

async function dropUnwanted(
  tx: Queryable,
  merchant: Merchant,
  { key, selection, status }: SubscriptionRecord,
): Promise<void> {
  for (const event of await listWaitingTypes(tx, { merchantId: merchant.id, key })) {
    if (status !== "CLOSED" && matches(selection, event)) continue;
    await dropWaitingDeliveries(tx, { merchantId: merchant.id, key, type: event.type });
  }
}

/** Refuses events and categories that the catalogue does not have. `ALL` ignores its details (S 2.5). */
function refusalOfDetails(
  { type, details }: SubscriptionDetails,
  { catalogue }: Policy,
): DetailsRefusal | undefined {
  if (type === "ALL" || details === undefined) return undefined;
  const known = new Set(catalogue.map((row) => (type === "EVENT" ? row.type : row.category)));
  const at = details.flatMap((name, index) => (known.has(name) ? [] : index));
  const code = type === "EVENT" ? "UNKNOWN_EVENT" : "INVALID_SUBSCRIPTION_DETAILS";
  return at.length === 0 ? undefined : { ok: false, code, at };
}
