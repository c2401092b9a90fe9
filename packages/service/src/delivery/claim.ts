import type { Clock } from "../clock.ts";
import type { Driver } from "../store/driver.ts";
import { instantOf } from "../store/operations/clocks/instant-of.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
} from "../store/operations/deliveries/claim-deliveries.ts";
import type { DueSubscription } from "../store/operations/deliveries/due-subscriptions.ts";
import type { Share } from "./due-list.ts";
import type { DeliveryPolicy } from "./policy.ts";

/** A delivery that this process may attempt once, until its lease ends. */
export interface Claim extends Omit<ClaimedDelivery, "subscriptionKey"> {
  readonly clockId: string;
  readonly subscription: DueSubscription;
  /** Real time, in milliseconds. */
  readonly leasedUntil: number;
}

export interface ClaimPorts {
  readonly driver: Driver;
  readonly clock: Clock;
}

/** Subscriptions that are claimed of in one statement. */
const MAX_TOGETHER = 256;

/** Claims deliveries of one clock that are due, of each subscription as many as its share says. */
export async function claim(
  clockId: string,
  shares: readonly Share[],
  { driver, clock }: ClaimPorts,
  { leaseMs }: Pick<DeliveryPolicy, "leaseMs">,
): Promise<Claim[]> {
  if (shares.length === 0) return [];
  const now = await instantOf(driver, clock, clockId);
  const realNow = clock.now();
  const leasedUntil = realNow + leaseMs;
  const subscriptions = new Map(shares.map(({ subscription }) => [subscription.key, subscription]));
  return driver.transaction(async (tx) => {
    const claims: Claim[] = [];
    for (const [count, keys] of statementsOf(shares)) {
      const request = { clockId, now, realNow, leasedUntil, count, subscriptionKeys: keys };
      for (const { subscriptionKey, ...claimed } of await claimDeliveries(tx, request)) {
        const subscription = subscriptions.get(subscriptionKey);
        if (subscription === undefined) throw new Error(`nobody asked for ${subscriptionKey}`);
        claims.push({ ...claimed, clockId, subscription, leasedUntil });
      }
    }
    return claims;
  });
}

/** Shares of one size together, no subscription twice in one statement. */
function* statementsOf(shares: readonly Share[]): Generator<[count: number, keys: string[]]> {
  const open = new Map<number, string[]>();
  for (const { subscription, count } of shares) {
    const keys = open.get(count) ?? [];
    if (keys.includes(subscription.key) || keys.length === MAX_TOGETHER) {
      yield [count, keys];
      open.set(count, [subscription.key]);
    } else {
      keys.push(subscription.key);
      open.set(count, keys);
    }
  }
  yield* open;
}
