import type { Room } from "./due-list.ts";
import { FailingSubscriptions } from "./failing-subscriptions.ts";
import { HostPaces } from "./host-pace.ts";
import type { DeliveryPolicy } from "./policy.ts";
import { isSuccess } from "./decide.ts";
import type { Answer } from "./transport.ts";

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
}

/** How an attempt ended, and when, in milliseconds of real time. */
export interface Ended {
  /** `undefined` where this process could not make it. */
  readonly answer: Answer | undefined;
  readonly startedAt: number;
  readonly now: number;
}

export interface OccupancyParts {
  /** How many attempts are over and not settled. */
  readonly unsettled: () => number;
  /** How many claims of failing subscriptions may be added. */
  readonly laneRoom: () => number;
}

/** How much work of one subscription or host may lie ready, in milliseconds: so much a slow one keeps from others. */
const AHEAD_MS = 250;
/** How many times its cap may lie ready of one that is fast. */
const MAX_AHEAD = 4;
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
  readonly #failing = new FailingSubscriptions();
  readonly #parts: OccupancyParts;
  readonly #ofSubscription = new Map<string, Count>();
  readonly #ofHost = new Map<string, Count>();
  #claimed = 0;
  #posting = 0;

  constructor(policy: Caps, parts: OccupancyParts) {
    this.#policy = policy;
    this.#hosts = new HostPaces(policy.concurrencyPerHost);
    this.#parts = parts;
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
    const late = Math.max(0, this.#parts.unsettled() - MAX_UNSETTLED);
    return this.#policy.concurrency + this.#mostReady - this.#claimed - late;
  }

  /** Whether so few lie ready that claiming more is worth a transaction. */
  get isLow(): boolean {
    return this.ready <= this.#mostReady / 2;
  }

  get #mostReady(): number {
    return Math.max(this.#policy.concurrency, MIN_READY);
  }

  /**
   * What may be claimed of a clock's deliveries.
   *
   * @param now Real time in milliseconds, where hosts' rests are kept.
   */
  roomOf(clockId: string, now?: number): Room {
    const isReal = isRealTime(clockId);
    const rests = (host: string): boolean =>
      isReal && now !== undefined && this.#hosts.rests(host, now);
    return {
      total: this.room,
      fits: ({ key, host }) =>
        rests(host) ? 0 : fitting(this.#ofSubscription.get(key), this.#capOf(key)),
      fitsOnHost: ({ host }) => fitting(this.#ofHost.get(host), this.#hosts.limit(host)),
      ...(isReal && !this.#failing.isEmpty && { failing: this.#roomOfFailing() }),
    };
  }

  #roomOfFailing(): Room["failing"] & object {
    return { has: (key) => this.#failing.has(key), room: this.#parts.laneRoom() };
  }

  /** Whether an attempt's beginning is spaced from others: its subscription is failing. */
  isSpaced(clockId: string, { key }: Occupant): boolean {
    return isRealTime(clockId) && this.#failing.has(key);
  }

  /** Whether an attempt may begin now. */
  admits({ key, host }: Occupant): boolean {
    return (
      this.#posting < this.#policy.concurrency &&
      (this.#ofSubscription.get(key)?.posting ?? 0) < this.#capOf(key) &&
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
  ended(occupant: Occupant, { answer, startedAt, now }: Ended): void {
    const durationMs = now - startedAt;
    if (answer !== undefined) this.#hosts.answered(occupant.host, answer, now);
    const isFine =
      answer?.kind === "answered" && isSuccess(answer, this.#policy) && answer.isCut !== true;
    this.#failing.ended(occupant.key, isFine);
    this.#posting -= 1;
    for (const count of this.#counts(occupant)) {
      count.posting -= 1;
      count.lastMs = durationMs;
    }
    this.unclaimed(occupant);
  }

  /** A claim is given back, or its attempt is over. */
  unclaimed(occupant: Occupant): void {
    this.#claimed -= 1;
    for (const count of this.#counts(occupant)) count.claimed -= 1;
    forgetIdle(this.#ofSubscription, occupant.key);
    forgetIdle(this.#ofHost, occupant.host);
  }

  /** Dead and hostile endpoints hold no more places than one, nor what each of their answers costs. */
  #capOf(key: string): number {
    return this.#failing.has(key) ? 1 : this.#policy.concurrencyPerSubscription;
  }

  #counts({ key, host }: Occupant): readonly [Count, Count] {
    return [countOf(this.#ofSubscription, key), countOf(this.#ofHost, host)];
  }
}

type Caps = Pick<
  DeliveryPolicy,
  "concurrency" | "concurrencyPerSubscription" | "concurrencyPerHost" | "success"
>;

/** A namespace's clock stands while its deliveries are carried out: rests and spaces would hold it up. */
const isRealTime = (clockId: string): boolean => clockId === "live";

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
    count = { claimed: 0, posting: 0, lastMs: undefined };
    counts.set(name, count);
  }
  return count;
}

function forgetIdle(counts: Map<string, Count>, name: string): void {
  if (counts.get(name)?.claimed === 0) counts.delete(name);
}
