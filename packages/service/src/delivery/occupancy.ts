import type { HostPaces } from "./host-pace.ts";
import type { DeliveryPolicy } from "./policy.ts";

/** A subscription as far as its caps go. */
export interface Occupant {
  readonly key: string;
  /** Host and port of its URL. */
  readonly host: string;
}

interface Count {
  /** Claims from the claim to the end of their attempts. */
  claimed: number;
  /** Attempts under way. */
  posting: number;
  /** How long the last attempt took, in milliseconds. */
  lastMs: number | undefined;
  /** Attempts that have failed since the last success. */
  failures: number;
}

/** How an attempt ended. */
export interface Ended {
  readonly durationMs: number;
  readonly isSuccess: boolean;
}

/** How much work of one subscription or host may lie ready, in milliseconds: so much a slow one keeps from others. */
const AHEAD_MS = 250;
/** How many times its cap may lie ready of one that is fast. */
const MAX_AHEAD = 4;
/**
 * A subscription whose attempts only fail, so many in a row, has one attempt under way at a time until one
 * succeeds: dead and hostile endpoints hold no more places than that, nor what each of their answers costs.
 */
const FAILING = 5;
/** Failing subscriptions that are remembered while nothing of them is under way. */
const MAX_REMEMBERED = 10_000;
/** Attempts that may wait for their settlement before fewer are claimed: receivers may be faster than the store. */
const MAX_UNSETTLED = 512;
/** How many claims may lie ready in all, where fewer attempts are made at one time. */
const MIN_READY = 384;

/**
 * Counts claims and attempts, of all, of each subscription and of each host, and says what still fits.
 *
 * Beside the attempts under way some claims lie ready, so that an attempt that ends is followed by the
 * next one without a look into the store. A slow receiver has few of them, or none.
 */
export class Occupancy {
  readonly #policy: Caps;
  readonly #hosts: HostPaces;
  readonly #unsettled: () => number;
  readonly #ofSubscription = new Map<string, Count>();
  readonly #ofHost = new Map<string, Count>();
  #claimed = 0;
  #posting = 0;

  /** @param unsettled How many attempts are over and not settled. */
  constructor(policy: Caps, hosts: HostPaces, unsettled: () => number) {
    this.#policy = policy;
    this.#hosts = hosts;
    this.#unsettled = unsettled;
  }

  /** Claims whose attempts have not begun. */
  get ready(): number {
    return this.#claimed - this.#posting;
  }

  get posting(): number {
    return this.#posting;
  }

  /** Claims that may be added, in all. */
  get room(): number {
    const late = Math.max(0, this.#unsettled() - MAX_UNSETTLED);
    return this.#policy.concurrency + this.#mostReady - this.#claimed - late;
  }

  /** Whether so few lie ready that claiming more is worth a transaction. */
  get isLow(): boolean {
    return this.ready <= this.#mostReady / 2;
  }

  get #mostReady(): number {
    return Math.max(this.#policy.concurrency, MIN_READY);
  }

  /** Claims that may be added of a subscription, as far as its own cap goes. */
  fits({ key }: Occupant): number {
    const own = this.#ofSubscription.get(key);
    return fitting(own, this.#capOf(own));
  }

  /** Claims that may be added of all subscriptions of a host. */
  fitsOnHost({ host }: Occupant): number {
    return fitting(this.#ofHost.get(host), this.#hosts.limit(host));
  }

  /** Whether an attempt may begin now. */
  admits({ key, host }: Occupant): boolean {
    const own = this.#ofSubscription.get(key);
    return (
      this.#posting < this.#policy.concurrency &&
      (own?.posting ?? 0) < this.#capOf(own) &&
      (this.#ofHost.get(host)?.posting ?? 0) < this.#hosts.limit(host)
    );
  }

  claimed(occupant: Occupant): void {
    this.#claimed += 1;
    for (const count of this.#counts(occupant)) count.claimed += 1;
  }

  began(occupant: Occupant): void {
    this.#posting += 1;
    for (const count of this.#counts(occupant)) count.posting += 1;
  }

  /** An attempt is over. */
  ended(occupant: Occupant, { durationMs, isSuccess }: Ended): void {
    this.#posting -= 1;
    for (const count of this.#counts(occupant)) {
      count.posting -= 1;
      count.lastMs = durationMs;
      count.failures = isSuccess ? 0 : count.failures + 1;
    }
    this.unclaimed(occupant);
  }

  /** A claim is given back, or its attempt is over. */
  unclaimed(occupant: Occupant): void {
    this.#claimed -= 1;
    for (const count of this.#counts(occupant)) count.claimed -= 1;
    if (!this.#isFailing(occupant.key)) forgetIdle(this.#ofSubscription, occupant.key);
    forgetIdle(this.#ofHost, occupant.host);
    this.#forgetOldest();
  }

  #capOf(own: Count | undefined): number {
    const isFailing = own !== undefined && own.failures >= FAILING;
    return isFailing ? 1 : this.#policy.concurrencyPerSubscription;
  }

  #isFailing(key: string): boolean {
    return (this.#ofSubscription.get(key)?.failures ?? 0) >= FAILING;
  }

  /** Those that nothing is under way of, where too many are remembered. */
  #forgetOldest(): void {
    if (this.#ofSubscription.size <= MAX_REMEMBERED) return;
    for (const [key, { claimed }] of this.#ofSubscription) {
      if (claimed > 0) continue;
      this.#ofSubscription.delete(key);
      return;
    }
  }

  #counts({ key, host }: Occupant): readonly [Count, Count] {
    return [countOf(this.#ofSubscription, key), countOf(this.#ofHost, host)];
  }
}

type Caps = Pick<DeliveryPolicy, "concurrency" | "concurrencyPerSubscription">;

function fitting(count: Count | undefined, cap: number): number {
  if (count === undefined) return cap;
  const { claimed, lastMs } = count;
  const ahead =
    lastMs === undefined
      ? 0
      : Math.min(MAX_AHEAD * cap, Math.floor((cap * AHEAD_MS) / Math.max(1, lastMs)));
  return Math.max(0, cap + ahead - claimed);
}

function countOf(counts: Map<string, Count>, name: string): Count {
  let count = counts.get(name);
  if (count === undefined) {
    count = { claimed: 0, posting: 0, lastMs: undefined, failures: 0 };
    counts.set(name, count);
  }
  return count;
}

function forgetIdle(counts: Map<string, Count>, name: string): void {
  if (counts.get(name)?.claimed === 0) counts.delete(name);
}
