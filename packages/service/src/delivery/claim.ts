import type { Clock } from "../clock.ts";
import { perform, type Driver, type Operation } from "../store/driver.ts";
import { instantOf } from "../store/tables/clocks.ts";
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

interface ClaimInput {
  readonly clockId: string;
  /** Deliveries that are asked for of each of these subscriptions. */
  readonly statements: readonly (readonly [count: number, keys: readonly string[]])[];
  readonly now: number;
  readonly realNow: number;
  readonly leasedUntil: number;
}

/** Claims in one transaction. */
export const claimOperation: Operation<ClaimInput, ClaimedDelivery[]> = {
  name: "claim",
  // What a crash takes back is claimed again.
  isDurable: false,
  async run(tx, { statements, ...request }) {
    const claimed: ClaimedDelivery[] = [];
    for (const [count, subscriptionKeys] of statements) {
      claimed.push(...(await claimDeliveries(tx, { ...request, count, subscriptionKeys })));
    }
    return claimed;
  },
};

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
  const statements = [...statementsOf(shares)];
  const input = { clockId, statements, now, realNow, leasedUntil };
  const claimed = await perform(driver, claimOperation, input);
  return claimed.map(({ subscriptionKey, ...delivery }) => {
    const subscription = subscriptions.get(subscriptionKey);
    if (subscription === undefined) throw new Error(`nobody asked for ${subscriptionKey}`);
    return { ...delivery, clockId, subscription, leasedUntil };
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
