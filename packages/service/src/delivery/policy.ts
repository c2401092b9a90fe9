import { senderOf } from "@countersign/schemas/provider-of";
import type { Profile } from "@countersign/schemas/profiles";
import { ENGINE } from "./constants.ts";

/** When the attempts of a delivery are made (S 6.6). */
export interface Schedule {
  /** Milliseconds before each attempt, counted from the end of the one before; the first is 0. */
  readonly steps: readonly number[];
  /** The largest change of a wait, as a part of it: 0.1 is ±10 %. 0 or more, below 1. */
  readonly jitter: number;
  /** `Retry-After` counts from one up to this many times the step. 1 or more. */
  readonly retryAfterFactor: number;
}

/** When a failing subscription is paused: both must hold. */
export interface PausePolicy {
  /** Failed attempts in a row, 1 or more. */
  readonly failures: number;
  /** Milliseconds since the first of them. */
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
  /**
   * Milliseconds after which a process that does not beat is dead, and others attempt its deliveries; at least
   * `shortestLease` of the deadline.
   */
  readonly leaseMs: number;
  /** Attempts in flight of one process; of one merchant at most three quarters. */
  readonly concurrency: number;
  /** Attempts in flight to all endpoints of one merchant and origin; to one endpoint at most three quarters. */
  readonly concurrencyPerEndpoint: number;
  /** Attempts in flight of one process to one host; of one merchant at most three quarters. */
  readonly concurrencyPerHost: number;
}

/** Time from an attempt's deadline to the end of the shortest lease, in milliseconds: a slow store may delay three beats. */
const LEASE_BEYOND_DEADLINE_MS = 15_000;

/** Returns a profile's rules of delivery (S 6.6), with this service's bounds on its own work. */
export function deliveryPolicyOf(profile: Pick<Profile, "provider">): DeliveryPolicy {
  const { sending: delivery } = senderOf(profile);
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
    leaseMs: Math.max(
      delivery.timeoutMs + LEASE_BEYOND_DEADLINE_MS,
      shortestLease(delivery.timeoutMs),
    ),
    concurrency: 256,
    concurrencyPerEndpoint: 8,
    concurrencyPerHost: 64,
  };
}

/**
 * The shortest lease for a deadline: attempts may start during the first third, in which two beats are due, so that
 * one beat may fail before an attempt is put off.
 */
function shortestLease(deadlineMs: number): number {
  return (deadlineMs + ENGINE.leaseMargin) * 1.5;
}

/** @throws {TypeError} As `DeliveryEngine` says. */
export function refuseUnsound(policy: DeliveryPolicy): void {
  const shortest = shortestLease(policy.deadlineMs);
  if (!(policy.leaseMs >= shortest))
    throw new TypeError(`invalid "leaseMs": expected at least ${shortest} for this "deadlineMs"`);
  const { concurrency, concurrencyPerEndpoint, concurrencyPerHost } = policy;
  if (!(concurrency >= 1 && concurrencyPerEndpoint >= 1 && concurrencyPerHost >= 1)) {
    throw new TypeError('"concurrency" and its parts must be 1 or more');
  }
}
