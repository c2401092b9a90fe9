import { sendingProviderOf } from "@countersign/schemas/provider-of";
import type { Profile } from "@countersign/schemas/profiles";

/** When the attempts of a delivery are made (S 6.6). */
export interface Schedule {
  /** Milliseconds before each attempt, counted from the end of the one before; the first is 0. */
  readonly steps: readonly number[];
  /** The largest change of a wait, as a part of it: 0.1 is ±10 %. 0 or more, below 1. */
  readonly jitter: number;
  /** `Retry-After` counts from one up to this many times the step. 1 or more. */
  readonly retryAfterFactor: number;
}

/** A failing subscription is paused after so many failures in a row, and so long after the first of them. */
export interface PausePolicy {
  readonly failures: number;
  readonly afterMs: number;
}

/** The rules and limits of delivery. */
export interface DeliveryPolicy {
  readonly schedule: Schedule;
  /** The statuses that say "delivered": all from 200 to 299, or only these. */
  readonly success: "2xx" | readonly number[];
  /** The status that says the receiver is gone for good; it ends the subscription. */
  readonly gone: number;
  readonly pause: PausePolicy;
  /** Milliseconds for all of one attempt. */
  readonly deadlineMs: number;
  /** Milliseconds that a claim lasts: when its process dies, others attempt the delivery after it. Above the deadline. */
  readonly leaseMs: number;
  /** Attempts in flight of one process, 1 or more. */
  readonly concurrency: number;
  /** Attempts in flight of one process to one endpoint, 1 or more: a slow one leaves the other places to others. */
  readonly concurrencyPerEndpoint: number;
  /** Attempts in flight of one process to one host, over all merchants, 1 or more: no host is attacked by many subscriptions. */
  readonly concurrencyPerHost: number;
}

/** Time from an attempt's deadline to the end of its claim, in milliseconds: a slow store may delay the record. */
const LEASE_BEYOND_DEADLINE_MS = 15_000;

/** Returns a profile's rules of delivery (S 6.6), with this service's bounds on its own work. */
export function deliveryPolicyOf(profile: Pick<Profile, "provider">): DeliveryPolicy {
  const { sending: delivery } = sendingProviderOf(profile);
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
    concurrencyPerEndpoint: 8,
    concurrencyPerHost: 64,
  };
}
