import type { Clock } from "../clock.ts";
import type { Driver } from "../store/driver.ts";
import { instantOf } from "../store/operations/clocks/instant-of.ts";
import {
  claimDeliveries,
  type ClaimedDelivery,
} from "../store/operations/deliveries/claim-deliveries.ts";
import {
  dueSubscriptions,
  type DueSubscription,
} from "../store/operations/deliveries/due-subscriptions.ts";
import type { DeliveryPolicy } from "./policy.ts";

/** A delivery that this process may attempt once, until its lease ends. */
export interface Claim extends ClaimedDelivery {
  readonly clockId: string;
  readonly subscription: DueSubscription;
  /** Real time, in milliseconds. */
  readonly leasedUntil: number;
}

export interface ClaimPorts {
  readonly driver: Driver;
  readonly clock: Clock;
}

/** What may be claimed now. */
export interface Room {
  /** Attempts that may be added, in all. */
  readonly total: number;
  /** Attempts under way to a subscription. */
  readonly underWay: (subscriptionKey: string) => number;
  /** Which subscription comes first; another one each time, so that none is always the last. */
  readonly turn: number;
}

/**
 * Claims deliveries of one clock that are due: of each subscription at most what its cap leaves, of
 * all at most `room.total`. A slow receiver fills its own cap and takes nothing from the others.
 */
export async function claim(
  clockId: string,
  room: Room,
  { driver, clock }: ClaimPorts,
  policy: DeliveryPolicy,
): Promise<Claim[]> {
  const now = await instantOf(driver, clock, clockId);
  const realNow = clock.now();
  const due = await dueSubscriptions(driver, clockId, { now, realNow });
  const shares = allot(due, room, policy.concurrencyPerSubscription);
  if (shares.size === 0) return [];
  const leasedUntil = realNow + policy.leaseMs;
  return driver.transaction(async (tx) => {
    const claims: Claim[] = [];
    for (const [subscription, count] of shares) {
      const subscriptionKey = subscription.key;
      const request = { clockId, subscriptionKey, count, now, realNow, leasedUntil };
      for (const claimed of await claimDeliveries(tx, request)) {
        claims.push({ ...claimed, clockId, subscription, leasedUntil });
      }
    }
    return claims;
  });
}

/**
 * Shares the room among the due subscriptions: one each in turn, until the room is used or every
 * subscription is at its cap.
 *
 * @returns How many deliveries each may claim; those that may claim none are left out.
 */
export function allot<S extends { readonly key: string }>(
  due: readonly S[],
  room: Room,
  cap: number,
): Map<S, number> {
  const first = due.length === 0 ? 0 : room.turn % due.length;
  let open = [...due.slice(first), ...due.slice(0, first)];
  const shares = new Map<S, number>();
  let left = room.total;
  while (left > 0) {
    open = open.filter((one) => room.underWay(one.key) + (shares.get(one) ?? 0) < cap);
    if (open.length === 0) break;
    const round = open.slice(0, left);
    for (const one of round) shares.set(one, (shares.get(one) ?? 0) + 1);
    left -= round.length;
  }
  return shares;
}
