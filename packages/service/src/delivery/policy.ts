import type { Profile } from "@countersign/schemas/profiles";
import type { PausePolicy } from "../store/operations/deliveries/count-outcomes.ts";
import type { Schedule } from "./schedule.ts";

/** How events are delivered. */
export interface DeliveryPolicy {
  readonly schedule: Schedule;
  /** The statuses that say "delivered": all from 200 to 299, or these alone. */
  readonly success: "2xx" | readonly number[];
  /** The status that says the receiver is gone for good; it ends the subscription. */
  readonly gone: number;
  readonly pause: PausePolicy;
  /** Milliseconds for all of one attempt. */
  readonly deadlineMs: number;
  /** Milliseconds of real time that a claim lasts; longer than the deadline by 5 s or more. */
  readonly leaseMs: number;
  /** Attempts under way at one time, in all. */
  readonly concurrency: number;
  /** Attempts under way at one time to one subscription. */
  readonly concurrencyPerSubscription: number;
  /** Attempts under way at one time to one host, whoever subscribed it. */
  readonly concurrencyPerHost: number;
}

/** Real time that a claim lasts beyond an attempt's deadline, in milliseconds. */
const LEASE_BEYOND_DEADLINE_MS = 45_000;

/** How a profile delivers events (S 6.6), with this service's bounds on its own work. */
export function deliveryPolicyOf({ delivery }: Pick<Profile, "delivery">): DeliveryPolicy {
  const { jitter, retryAfterFactor, pause } = delivery;
  return {
    schedule: {
      steps: delivery.scheduleSeconds.map((seconds) => seconds * 1000),
      jitter,
      retryAfterFactor,
    },
    success: delivery.success === "2xx" ? "2xx" : [200],
    gone: delivery.goneStatus,
    pause: { failures: pause.failures, afterMs: pause.hours * 3_600_000 },
    deadlineMs: delivery.timeoutMs,
    leaseMs: delivery.timeoutMs + LEASE_BEYOND_DEADLINE_MS,
    concurrency: 256,
    concurrencyPerSubscription: 8,
    concurrencyPerHost: 64,
  };
}

/** @throws {TypeError} As `Deliverer` says. */
export function refuseUnsound(policy: DeliveryPolicy): void {
  if (!(policy.leaseMs >= policy.deadlineMs + 5000)) {
    throw new TypeError('"leaseMs" must be at least 5000 more than "deadlineMs"');
  }
  const { concurrency, concurrencyPerSubscription, concurrencyPerHost } = policy;
  if (!(concurrency >= 1 && concurrencyPerSubscription >= 1 && concurrencyPerHost >= 1)) {
    throw new TypeError('"concurrency" and its parts must be 1 or more');
  }
}
