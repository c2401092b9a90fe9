import { exclude, isClosed, matches, type SubscriptionDetails } from "@countersign/rules";
import type { Queryable } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
import {
  dropWaitingDeliveries,
  listWaitingTypes,
  lockSubscription,
  updateSelection,
  type SubscriptionRecord,
} from "../store/tables/subscriptions.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { refusesDetails } from "./refuses-details.ts";
import { unknownEvents } from "./unknown-events.ts";

export interface Unsubscription {
  readonly subscriptionId: string;
  /** The events or categories to stop receiving. */
  readonly subscriptionDetails: SubscriptionDetails;
}

export type UnsubscribeOutcome =
  | { readonly ok: true; readonly subscriptionKey: string }
  | {
      readonly ok: false;
      readonly code:
        | "SUBSCRIPTION_NOT_FOUND"
        | "SUBSCRIPTION_CLOSED"
        | "INVALID_SUBSCRIPTION_DETAILS";
    }
  | {
      readonly ok: false;
      readonly code: "UNKNOWN_EVENT";
      /** Places in `details`, from 0. */
      readonly at: readonly number[];
    };

/**
 * Takes events away from a subscription (S 4.4); with nothing left it is closed, for good. Repeating a
 * call changes nothing and gives the same answer. What still waits for an event that was taken away
 * is dropped; an attempt under way may arrive.
 *
 * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`: nothing is stored.
 */
export async function unsubscribe(
  context: Context,
  merchant: Merchant,
  { subscriptionId, subscriptionDetails }: Unsubscription,
): Promise<UnsubscribeOutcome> {
  const { catalogue } = context.policy.events;
  if (refusesDetails(subscriptionDetails, context.policy)) {
    return { ok: false, code: "INVALID_SUBSCRIPTION_DETAILS" };
  }
  const at = unknownEvents(subscriptionDetails, catalogue);
  if (at.length > 0) return { ok: false, code: "UNKNOWN_EVENT", at };

  return context.driver.transaction<UnsubscribeOutcome>(async (tx) => {
    const named = { merchantId: merchant.id, key: subscriptionId };
    const subscription = await lockSubscription(tx, named);
    if (subscription === undefined) return { ok: false, code: "SUBSCRIPTION_NOT_FOUND" };
    const subscriptionKey = subscription.key;
    if (subscription.status === "CLOSED") {
      const { closed } = context.policy.subscription;
      if (closed === "ok") return { ok: true, subscriptionKey };
      return {
        ok: false,
        code: closed === "gone" ? "SUBSCRIPTION_CLOSED" : "SUBSCRIPTION_NOT_FOUND",
      };
    }
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
