import type { SubscriptionDetails } from "@countersign/rules";
import type { Policy } from "../policy.ts";

/** Whether a profile takes `ALL` with details for a mistake; S 2.5 makes them optional. */
export function refusesDetails(details: SubscriptionDetails, { subscription }: Policy): boolean {
  const isDetailed = details.type === "ALL" && details.details !== undefined;
  return isDetailed && subscription.allWithDetails === "reject";
}
