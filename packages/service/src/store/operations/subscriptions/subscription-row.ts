import type { Selection } from "@countersign/rules";
import type { SubscriptionRecord } from "../../records.ts";

export const subscriptionColumns = "key, url, selection, status";

export type SubscriptionRow = Omit<SubscriptionRecord, "selection"> & { selection: string };

export function toSubscription(row: SubscriptionRow): SubscriptionRecord {
  // Written by this package alone, as JSON of a `Selection`.
  return { ...row, selection: JSON.parse(row.selection) as Selection };
}
