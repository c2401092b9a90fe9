import type { Schedule } from "./schedule.ts";
import type { PausePolicy } from "../store/operations/deliveries/count-outcomes.ts";

/** How events are delivered. */
export interface DeliveryPolicy {
  readonly schedule: Schedule;
  /** The statuses that say "delivered": all from 200 to 299, or these alone. */
  readonly success: "2xx" | readonly number[];
  /** The status that says the receiver is gone for good; it ends the subscription. */
  readonly gone: number | undefined;
  readonly pause: PausePolicy;
  /** Milliseconds for all of one attempt. */
  readonly deadlineMs: number;
  /** Milliseconds of real time that a claim lasts; longer than the deadline by 5 s or more. */
  readonly leaseMs: number;
  /** Attempts under way at one time, in all. */
  readonly concurrency: number;
  /** Attempts under way at one time to one subscription. */
  readonly concurrencyPerSubscription: number;
}
