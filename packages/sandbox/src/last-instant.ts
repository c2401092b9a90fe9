import { eligibleAt } from "@countersign/rules";
import type { Policy } from "@countersign/service";

const DAY_MS = 86_400_000;
/** The bank calendar ends with 2035: from here on three business days, and weeks of them, can be told. */
const LAST: number = Date.parse("2035-12-01T00:00:00.000Z");

/**
 * The last instant that a namespace's clock may show, in milliseconds: a payment that settles then
 * still has a threshold (S 3.1). Beyond it the settlement could not be carried out.
 */
export function lastInstant({ hold }: Pick<Policy, "hold">): number {
  let last = LAST;
  while (!hasThreshold(last, hold)) last -= DAY_MS;
  return last;
}

function hasThreshold(settledAt: number, hold: Policy["hold"]): boolean {
  try {
    return Number.isFinite(eligibleAt(settledAt, hold));
  } catch (error) {
    // What the calendar says of a day after its end.
    if (error instanceof RangeError) return false;
    throw error;
  }
}
