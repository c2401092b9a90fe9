import { clearTimeout, setTimeout } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { instantOf } from "../store/tables/clocks.ts";
import {
  dueSubscriptions,
  type DueSubscription,
} from "../store/operations/deliveries/due-subscriptions.ts";
import { claim, type Claim, type ClaimPorts } from "./claim.ts";
import { DueList, type Share } from "./due-list.ts";
import type { Occupancy } from "./occupancy.ts";
import type { DeliveryPolicy } from "./policy.ts";

export interface ClaimerParts {
  readonly occupancy: Occupancy;
  readonly take: (claims: readonly Claim[]) => void;
  readonly isStopped: () => boolean;
  readonly failed: (error: unknown) => void;
}

/** Looking for what is due takes at most this part of the time, however many subscriptions wait. */
const LOOKING_PART = 1 / 4;
/** What is said to have come to be due is looked for by then, in milliseconds. */
const LONGEST_BETWEEN_LOOKS_MS = 250;

/** What is known of one clock. */
interface Known {
  readonly list: DueList;
  /** Whether something may have come to be due since the last look. */
  isStale: boolean;
  /** Real time before which there is no further look, in milliseconds. */
  nextLookAt: number;
}

/** Keeps claims ready: asks the store which subscriptions have something due, and claims in their turns. */
export class Claimer {
  readonly #ports: ClaimPorts;
  readonly #policy: DeliveryPolicy;
  readonly #parts: ClaimerParts;
  readonly #known = new Map<string, Known>();
  /** Clocks that may have something to claim. */
  readonly #wanted = new Set<string>();
  #claiming: Promise<unknown> = Promise.resolve();
  #pumping = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: ClaimPorts, policy: DeliveryPolicy, parts: ClaimerParts) {
    this.#ports = ports;
    this.#policy = policy;
    this.#parts = parts;
  }

  /** Says that a clock may have something due. Returns at once. */
  wake(clockId: string): void {
    this.#of(clockId).isStale = true;
    this.#want(clockId);
  }

  /** Says that an attempt has ended. */
  more(): void {
    const { occupancy } = this.#parts;
    // A claim is a transaction: it is made for many attempts.
    if (!occupancy.isLow) return;
    for (const [clockId, { list, isStale }] of this.#known) {
      if (isStale || !list.isEmpty) this.#want(clockId);
    }
  }

  /**
   * Looks for what is due of a clock and claims what has room.
   *
   * @returns Whether nothing was due.
   */
  claimAll(clockId: string): Promise<boolean> {
    return this.#oneAtATime(async () => {
      const { occupancy } = this.#parts;
      if (occupancy.room <= 0) return false;
      await this.#look(clockId);
      const { list } = this.#of(clockId);
      if (list.isEmpty) return true;
      await this.#claim(clockId, list.share(occupancy.roomOf(clockId)));
      return false;
    });
  }

  /** Resolves when no claim is under way; the caller begins none afterwards. */
  async stopped(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#claiming;
  }

  #want(clockId: string): void {
    this.#wanted.add(clockId);
    if (!this.#pumping) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    // One turn later: the wakes of this turn share one look.
    await setImmediate();
    try {
      // A set hands out what is added while it is walked.
      for (const clockId of this.#wanted) {
        this.#wanted.delete(clockId);
        if (!(await this.#oneAtATime(() => this.#claimKnown(clockId)))) {
          // No room: the next attempt that ends asks again.
          break;
        }
      }
    } catch (error) {
      this.#parts.failed(error);
    } finally {
      this.#pumping = false;
    }
  }

  /** @returns Whether there was room to claim. */
  async #claimKnown(clockId: string): Promise<boolean> {
    const { occupancy, isStopped } = this.#parts;
    if (isStopped() || occupancy.room <= 0) return false;
    const now = this.#ports.clock.now();
    const known = this.#of(clockId);
    if (known.isStale) {
      if (now >= known.nextLookAt) await this.#look(clockId);
      else this.#lookLater(clockId, known.nextLookAt - now);
    }
    const shares = known.list.share(occupancy.roomOf(clockId, now));
    if (shares.length > 0) {
      await this.#claim(clockId, shares);
      if (!known.list.isEmpty && occupancy.isLow) {
        this.#wanted.add(clockId);
      }
    }
    if (known.list.isEmpty && !known.isStale) this.#known.delete(clockId);
    return true;
  }

  async #look(clockId: string): Promise<void> {
    const { driver, clock } = this.#ports;
    const known = this.#of(clockId);
    known.isStale = false;
    const realNow = clock.now();
    const now = await instantOf(driver, clock, clockId);
    known.list.replace(await dueSubscriptions(driver, clockId, { now, realNow }));
    const took = clock.now() - realNow;
    known.nextLookAt = realNow + Math.min(took / LOOKING_PART, LONGEST_BETWEEN_LOOKS_MS);
  }

  #lookLater(clockId: string, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#want(clockId), ms);
  }

  async #claim(clockId: string, shares: readonly Share[]): Promise<void> {
    const claims = await claim(clockId, shares, this.#ports, this.#policy);
    const { list } = this.#of(clockId);
    const missing = new Map<DueSubscription, number>();
    for (const { subscription, count } of shares) {
      missing.set(subscription, (missing.get(subscription) ?? 0) + count);
    }
    for (const { subscription } of claims) {
      missing.set(subscription, (missing.get(subscription) ?? 0) - 1);
    }
    for (const [subscription, count] of missing) if (count > 0) list.remove(subscription);
    this.#parts.take(claims);
  }

  #oneAtATime<T>(run: () => Promise<T>): Promise<T> {
    const claimed = this.#claiming.then(run);
    this.#claiming = claimed.catch(() => {});
    return claimed;
  }

  #of(clockId: string): Known {
    let known = this.#known.get(clockId);
    if (known === undefined) {
      known = { list: new DueList(), isStale: false, nextLookAt: 0 };
      this.#known.set(clockId, known);
    }
    return known;
  }
}
