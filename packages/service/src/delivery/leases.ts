import type { Clock, DueClock } from "../clock.ts";
import { ENGINE } from "./constants.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { DeliveryObserver, DeliveryStore, Endpoint, Member } from "./types.ts";

interface Ports {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly dueClock: DueClock;
}

/**
 * The membership of this process among those that share the database. A lease of an endpoint lasts as long as its
 * process beats. Nobody compares clocks: a process is dead if another one has seen the same beat for a whole lease.
 */
export class Leases {
  readonly #ports: Ports;
  readonly #policy: Pick<DeliveryPolicy, "leaseMs" | "deadlineMs">;
  readonly #observer: DeliveryObserver;
  #id: string;
  #beat = 0;
  /** Monotonic time at which the last stored beat began: leases count from here. */
  #beatAt = -Infinity;
  #lives = 1;
  /** Beats of other processes, and when this process first saw them. */
  readonly #others = new Map<string, { readonly beat: number; readonly since: number }>();
  #nextLookAt = 0;
  /** True if a call failed: the database may hold leases that this process does not know. */
  #isUnsure = false;

  constructor(
    id: string,
    ports: Ports,
    policy: Pick<DeliveryPolicy, "leaseMs" | "deadlineMs">,
    observer: DeliveryObserver,
  ) {
    this.#id = id;
    this.#ports = ports;
    this.#policy = policy;
    this.#observer = observer;
  }

  /** Monotonic time of the next beat or look. */
  get dueAt(): number {
    return Math.min(this.#beatAt + this.#beatEvery, this.#nextLookAt);
  }

  /** True if an attempt that starts now ends, and can be recorded, within the lease. */
  covers(now: number): boolean {
    const { leaseMs, deadlineMs } = this.#policy;
    return this.#beatAt + leaseMs - now >= deadlineMs + ENGINE.leaseMargin;
  }

  lookSoon(): void {
    this.#nextLookAt = 0;
  }

  /** Reports that a call of the store failed, which may be stored. */
  doubt(): void {
    this.#isUnsure = true;
    this.#nextLookAt = 0;
  }

  /**
   * Beats if it is time to, and removes processes that stopped beating.
   *
   * @param held Endpoints that this process leases.
   * @returns `"lost"` if others have removed this process, and all its leases are lost; else how many endpoints are
   *   more than its fair share.
   */
  async keep(held: number): Promise<"lost" | number> {
    const { store, clock, dueClock } = this.#ports;
    const begun = clock.elapsed();
    if (begun - this.#beatAt < this.#beatEvery) return 0;
    if (this.#beat === 0) await store.join(this.#id);
    this.#beat += 1;
    const beat = { id: this.#id, beat: this.#beat, now: dueClock.latest() };
    const { members, now } = await store.beat(beat);
    dueClock.raise(now);
    if (!members.some(({ id }) => id === this.#id)) {
      this.#startOver();
      return "lost";
    }
    // A process that could not reach the database has not seen whether the others beat.
    if (begun - this.#beatAt > 2 * this.#beatEvery) this.#others.clear();
    this.#beatAt = begun;
    this.#reportStep();
    return this.#surplus(await this.#removeDead(members, begun), held);
  }

  /** Leases endpoints that hints name. */
  takeNamed(keys: readonly string[]): Promise<Endpoint[]> {
    return this.#ports.store.take(this.#id, { keys });
  }

  /** Leases the endpoints of a namespace's clock that have something due. */
  takeOfClock(clockId: string): Promise<Endpoint[]> {
    return this.#ports.store.take(this.#id, { dueBy: 0, most: ENGINE.looked, clockId });
  }

  /**
   * Now and then leases all endpoints that nobody leases and that have something due soon; after a call that failed, returns
   * the endpoints that this process leases already.
   */
  async look(): Promise<Endpoint[]> {
    const { store, clock, dueClock } = this.#ports;
    const begun = clock.elapsed();
    if (begun < this.#nextLookAt) return [];
    if (this.#isUnsure) {
      const own = await store.take(this.#id, "own");
      this.#isUnsure = false;
      return own;
    }
    const dueBy = dueClock.now() + ENGINE.lookAheadMs;
    const found = await store.take(this.#id, { dueBy, most: ENGINE.looked });
    const took = clock.elapsed() - begun;
    const wait = Math.min(Math.max(ENGINE.lookMs, took / ENGINE.lookPart), ENGINE.longestLookMs);
    this.#nextLookAt = found.length === ENGINE.looked ? 0 : begun + wait;
    return found;
  }

  async release(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.#ports.store.release(this.#id, keys);
  }

  /** Gives all leases back. */
  async end(): Promise<void> {
    if (this.#beat > 0) await this.#ports.store.remove({ id: this.#id });
  }

  get #beatEvery(): number {
    return Math.min(this.#policy.leaseMs / ENGINE.beatsPerLease, ENGINE.longestBeatMs);
  }

  #startOver(): void {
    // A new name: the old one may still be removed by somebody who saw its last beat.
    const [name = this.#id] = this.#id.split("~");
    this.#lives += 1;
    this.#id = `${name}~${this.#lives}`;
    this.#beat = 0;
    this.#beatAt = -Infinity;
    this.#nextLookAt = 0;
  }

  #reportStep(): void {
    const step = this.#ports.dueClock.takeStep();
    if (step === 0) return;
    this.#observer.clockStepped?.(step);
    this.#nextLookAt = 0;
  }

  /** Removes processes that stopped beating. @returns The members that go on, as far as this process knows. */
  async #removeDead(members: readonly Member[], begun: number): Promise<Member[]> {
    const ids = new Set(members.map(({ id }) => id));
    for (const id of this.#others.keys()) if (!ids.has(id)) this.#others.delete(id);
    const alive: Member[] = [];
    for (const member of members) {
      const { id, beat } = member;
      const seen = this.#others.get(id);
      // It may have been stored while this process waited for the answer: only from here on it is known to be the same.
      if (seen?.beat !== beat) this.#others.set(id, { beat, since: this.#ports.clock.elapsed() });
      const silentMs = seen?.beat === beat && id !== this.#id ? begun - seen.since : 0;
      if (silentMs < this.#policy.leaseMs / 2) alive.push(member);
      if (silentMs < this.#policy.leaseMs) continue;
      await this.#ports.store.remove({ id, beat });
      this.#nextLookAt = 0;
    }
    return alive;
  }

  #surplus(members: readonly Member[], held: number): number {
    const total = members.reduce((sum, { endpoints }) => sum + endpoints, 0);
    const fair = Math.ceil(total / members.length);
    const surplus = held - fair;
    // A little more than the share is not worth moving.
    if (members.length === 1 || surplus <= fair / 10) return 0;
    // The others look first.
    this.#nextLookAt = this.#ports.clock.elapsed() + 3 * ENGINE.lookMs;
    return surplus;
  }
}
