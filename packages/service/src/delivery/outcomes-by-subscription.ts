import type { SubscriptionOutcomes } from "../store/operations/deliveries/count-outcomes.ts";
import type { SettledAttempt } from "./settled-attempt.ts";

/** What a group of attempts, in the order in which they ended, says of each subscription. */
export function outcomesBySubscription(settled: readonly SettledAttempt[]): SubscriptionOutcomes[] {
  const bySubscription = new Map<string, SubscriptionOutcomes>();
  for (const { attempt, settled: delivery, now } of settled) {
    const { key } = attempt.claim.subscription;
    const before = bySubscription.get(key);
    const delivered = delivery.state === "delivered";
    bySubscription.set(key, {
      key,
      failures: delivered ? 0 : (before?.failures ?? 0) + 1,
      succeeded: delivered || (before?.succeeded ?? false),
      at: now,
    });
  }
  return [...bySubscription.values()];
}
