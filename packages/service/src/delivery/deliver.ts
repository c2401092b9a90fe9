import { setTimeout } from "node:timers/promises";
import { releaseDeliveries } from "../store/operations/deliveries/release-deliveries.ts";
import { attempt, type AttemptPorts, type OpenEndpoints } from "./attempt.ts";
import type { Claim, ClaimPorts } from "./claim.ts";
import { Claimer } from "./claimer.ts";
import { FailingLane } from "./failing-lane.ts";
import type { DeliveryObserver } from "./observer.ts";
import { Occupancy } from "./occupancy.ts";
import { refuseUnsound, type DeliveryPolicy } from "./policy.ts";
import { ReadyClaims } from "./ready-claims.ts";
import type { SettlePorts } from "./settle.ts";
import { SettleQueue } from "./settle-queue.ts";
import { UnderWay } from "./under-way.ts";

/** Milliseconds from an attempt's deadline to the end of its lease. */
const LEASE_MARGIN_MS = 1000;

export type DelivererPorts = ClaimPorts & AttemptPorts & SettlePorts;

/**
 * Delivers what is due: claim, attempt, settle. A stream and no batch: each attempt that ends makes
 * room for the next one, so that none waits for the slowest of its batch.
 *
 * At least once: the claim is stored before the attempt and the settlement after it. A process that
 * dies in between leaves a lease, and the delivery goes on when that has ended.
 */
export class Deliverer {
  readonly #ports: DelivererPorts;
  readonly #policy: DeliveryPolicy;
  readonly #observer: DeliveryObserver;
  readonly #occupancy: Occupancy;
  readonly #open: OpenEndpoints = new WeakMap();
  readonly #ready = new ReadyClaims();
  readonly #lane: FailingLane;
  readonly #claimer: Claimer;
  readonly #settling: SettleQueue;
  readonly #underWay = new UnderWay();
  /** Claims whose attempts have begun. */
  readonly #begun = new Set<Claim>();
  #stopped = false;
  #abandoned = false;

  /**
   * @throws {TypeError} The lease is not at least 5 s longer than the deadline: a second worker could
   *   attempt what a first one still attempts. Or a concurrency is not 1 or more.
   */
  constructor(ports: DelivererPorts, policy: DeliveryPolicy, observer: DeliveryObserver = {}) {
    refuseUnsound(policy);
    this.#ports = ports;
    this.#policy = policy;
    this.#observer = observer;
    this.#occupancy = new Occupancy(policy, {
      unsettled: () => this.#settling.size,
      laneRoom: () => this.#lane.room,
    });
    this.#lane = new FailingLane({
      clock: ports.clock,
      most: Math.max(1, Math.floor(policy.concurrency / 2)),
      admits: ({ subscription }) => this.#occupancy.admits(subscription),
      begin: (claim) => this.#begin(claim),
      isLow: () => this.#claimer.more(),
    });
    this.#claimer = new Claimer(ports, policy, {
      occupancy: this.#occupancy,
      take: (claims) => this.#take(claims),
      isStopped: () => this.#stopped,
      failed: (error) => observer.failed?.(error),
    });
    this.#settling = new SettleQueue(ports, policy, {
      observer,
      isMoreToCome: () => this.#occupancy.posting > 0 && !this.#stopped,
      beforeGroup: () => this.#claimer.more(),
    });
  }

  /** A clock may have something due. Returns at once. */
  wake(clockId: string): void {
    this.#claimer.wake(clockId);
  }

  /**
   * Delivers until nothing of a clock is due and nothing of it under way. What comes to be due in the
   * meantime is delivered too.
   *
   * @returns `false` where the deliverer was stopped before.
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
   */
  async drain(clockId: string): Promise<boolean> {
    while (!this.#stopped) {
      const isNothingDue = await this.#claimer.claimAll(clockId);
      const own = this.#underWay.ofClock(clockId);
      if (this.#stopped) break;
      if (isNothingDue && own.length === 0) return true;
      await this.#underWay.endOf(own);
    }
    return false;
  }

  /**
   * Claims nothing more, waits for what is under way, and gives the rest back to be claimed by
   * others. An attempt that is cut short may have arrived: it keeps its number, without a record.
   *
   * @param graceMs How long to wait, in milliseconds.
   */
  async stop({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#stopped = true;
    this.#settling.hurry();
    await this.#claimer.stopped();
    const unbegun = [...this.#ready.takeAll(), ...this.#lane.takeAll()];
    const ends = [...this.#begun].map((claim) => this.#underWay.endOf([claim]));
    const enough = new AbortController();
    await Promise.race([
      Promise.all([this.#giveBack(unbegun, false), ...ends]),
      setTimeout(graceMs, undefined, { signal: enough.signal }).catch(() => {}),
    ]);
    enough.abort();
    this.#abandoned = true;
    const rest = [...this.#begun];
    await this.#ports.transport.close();
    await this.#giveBack(rest, true);
    this.#settling.close();
  }

  #take(claims: readonly Claim[]): void {
    for (const claim of claims) {
      this.#underWay.add(claim);
      this.#occupancy.claimed(claim.subscription);
      this.#ready.add(claim);
    }
    this.#beginReady();
  }

  /** @param freed The host of an attempt that has ended. */
  #beginReady(freed?: string): void {
    const admits = (one: Claim["subscription"]): boolean => this.#occupancy.admits(one);
    while (this.#occupancy.posting < this.#policy.concurrency && !this.#stopped) {
      const claim = this.#ready.next(admits, freed);
      if (claim === undefined) break;
      if (this.#occupancy.isSpaced(claim.clockId, claim.subscription)) this.#lane.add(claim);
      else this.#begin(claim);
    }
  }

  #begin(claim: Claim): void {
    const left = claim.leasedUntil - this.#ports.clock.now();
    if (left < this.#policy.deadlineMs + LEASE_MARGIN_MS) {
      void this.#forgo(claim);
      return;
    }
    this.#begun.add(claim);
    this.#occupancy.began(claim.subscription);
    this.#carryOut(claim)
      .catch((error: unknown) => this.#observer.failed?.(error))
      .finally(() => this.#done(claim));
  }

  async #carryOut(claim: Claim): Promise<void> {
    const { subscription } = claim;
    const startedAt = this.#ports.clock.now();
    let made;
    try {
      made = await attempt(claim, this.#ports, this.#open);
    } finally {
      const now = this.#ports.clock.now();
      this.#occupancy.ended(subscription, { answer: made?.answer, startedAt, now });
      this.#beginReady(subscription.host);
      const isIdle = this.#occupancy.ready <= this.#lane.waiting;
      if (isIdle || this.#settling.isWriting) this.#claimer.more();
    }
    if (!this.#abandoned) await this.#settling.settle(made, this.#lane.has(claim));
  }

  /** What has waited here for too long might be another's before its attempt ends. */
  async #forgo(claim: Claim): Promise<void> {
    await this.#giveBack([claim], false);
    this.#claimer.wake(claim.clockId);
  }

  /** What the store does not take waits for its lease to end. @param begun The attempt may have arrived. */
  async #giveBack(claims: readonly Claim[], begun: boolean): Promise<void> {
    try {
      if (claims.length === 0) return;
      const given = claims.map((claim) => ({ id: claim.id, attempt: claim.attempt, begun }));
      await this.#ports.driver.transaction((tx) => releaseDeliveries(tx, given));
    } catch (error) {
      this.#observer.failed?.(error);
    } finally {
      for (const claim of claims) {
        if (!begun) this.#occupancy.unclaimed(claim.subscription);
        this.#done(claim);
      }
    }
  }

  #done(claim: Claim): void {
    this.#lane.done(claim);
    this.#begun.delete(claim);
    this.#underWay.done(claim);
  }
}
