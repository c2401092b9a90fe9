import type { Clock, DueClock } from "../clock.ts";
import { openTarget, type AttemptPorts } from "./attempt.ts";
import { ENGINE } from "./constants.ts";
import { freshPace, isFailing, Turns } from "./decisions.ts";
import { BEGINNING, byPlace, LAST_SEQ, newHeld, type Held } from "./held.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { Cursor, DeliveryStore, DueDelivery, Endpoint, ReadResult } from "./types.ts";

type Ports = Pick<AttemptPorts, "vault" | "endpoints"> & {
  readonly store: Pick<DeliveryStore, "read">;
  readonly clock: Clock;
  readonly dueClock: DueClock;
};

/**
 * The queues of the leased endpoints. Each is read forward from a cursor. What lies behind the cursor (a row that
 * was committed late, a replay) is found by a hint, or by a read from the beginning now and then.
 */
export class Queues {
  readonly #ports: Ports;
  readonly #policy: DeliveryPolicy;
  readonly #held = new Map<string, Held>();
  /** Endpoints to be read, in turn; failing ones apart, since few of them are read at a time. */
  readonly #toRead = new Set<Held>();
  readonly #failingToRead = new Set<Held>();
  /** Endpoints with a delivery that is ready. */
  readonly #turns = new Turns<Held>();
  /** Endpoints to give back once nothing of them is open. */
  readonly #leaving = new Set<Held>();
  /** How many endpoints each merchant has at each origin. */
  readonly #origins = new Map<string, number>();
  #ready = 0;
  /** Deliveries read of each namespace's clock. */
  readonly #found = new Map<string, number>();
  #sweptAt = -Infinity;
  #sweepAgainAt = 0;

  constructor(ports: Ports, policy: DeliveryPolicy) {
    this.#ports = ports;
    this.#policy = policy;
  }

  get size(): number {
    return this.#held.size;
  }
  get hasToRead(): boolean {
    return this.#toRead.size > 0;
  }
  get hasFailingToRead(): boolean {
    return this.#failingToRead.size > 0;
  }
  /** Monotonic time by which `sweep` has something to do. */
  get sweepAt(): number {
    return this.#sweepAgainAt;
  }
  get(key: string): Held | undefined {
    return this.#held.get(key);
  }
  values(): Iterable<Held> {
    return this.#held.values();
  }

  /** Deliveries that were found for a namespace's clock so far. */
  found(clockId: string): number {
    return this.#found.get(clockId) ?? 0;
  }

  /** True if a delivery of the endpoint may be found, is ready, in flight, or not recorded. */
  isBusy(held: Held): boolean {
    const isToRead =
      this.#toRead.has(held) || this.#failingToRead.has(held) || held.reading !== undefined;
    return this.#held.get(held.endpoint.key) === held && (isToRead || held.open.size > 0);
  }

  /** Begins to read the queue of an endpoint that was leased. */
  hold(endpoint: Endpoint): void {
    if (this.#held.has(endpoint.key)) return;
    const target = openTarget(endpoint, this.#ports);
    const held = newHeld(endpoint, target, {
      now: this.#ports.clock.elapsed(),
      pace: freshPace(this.#policy),
    });
    this.#held.set(endpoint.key, held);
    if (target.ok) this.#origins.set(target.pool, (this.#origins.get(target.pool) ?? 0) + 1);
    this.wantRead(held);
  }

  /** True if the merchant has another endpoint at the same origin: they share connections. */
  sharesOrigin({ target }: Held): boolean {
    return target.ok && (this.#origins.get(target.pool) ?? 0) > 1;
  }

  /** Drops an endpoint that is leased no more. Attempts in flight are still recorded. */
  forget(held: Held): void {
    this.dropReady(held);
    this.#toRead.delete(held);
    this.#failingToRead.delete(held);
    this.#leaving.delete(held);
    if (!this.#held.delete(held.endpoint.key) || !held.target.ok) return;
    const { pool } = held.target;
    const left = (this.#origins.get(pool) ?? 0) - 1;
    if (left > 0) this.#origins.set(pool, left);
    else this.#origins.delete(pool);
  }

  /** Has an endpoint given back once nothing of it is open. */
  leave(held: Held): void {
    this.#leaving.add(held);
    this.dropReady(held);
  }

  /** Keeps an endpoint that was to be given back. */
  stay(held: Held): void {
    this.#leaving.delete(held);
  }

  /** Drops the endpoints that can be given back now. @returns Their keys. */
  takeLeaving(): string[] {
    const free = [...this.#leaving].filter(({ open }) => open.size === 0);
    for (const held of free) this.forget(held);
    return free.map(({ endpoint }) => endpoint.key);
  }

  wantRead(held: Held): void {
    if (this.#leaving.has(held) || this.#held.get(held.endpoint.key) !== held) return;
    (this.isPaced(held) ? this.#failingToRead : this.#toRead).add(held);
  }

  readFromBeginning(held: Held): void {
    // A new object: a read that is under way began before.
    held.cursor = { ...BEGINNING };
    held.fullReadAt = this.#ports.clock.elapsed();
    this.wantRead(held);
  }

  /** Reports that a delivery is due at `nextAt`, perhaps behind the cursor. */
  notice(held: Held, nextAt: number): void {
    if (held.reading !== undefined)
      held.reading.noticedAt = Math.min(nextAt, held.reading.noticedAt);
    if (nextAt <= held.cursor.nextAt) held.cursor = { nextAt: nextAt - 1, seq: LAST_SEQ };
    // A namespace's clock may have moved since its last read.
    if (!held.isLive || nextAt <= this.now(held)) this.wantRead(held);
    else {
      held.nextAt = Math.min(nextAt, held.nextAt ?? Infinity);
      this.#sweepBy(this.#ports.clock.elapsed() + nextAt - this.now(held));
    }
  }

  /** Reports that an attempt is recorded. */
  recorded(held: Held, id: string): void {
    held.open.delete(id);
    held.reading?.recorded.add(id);
  }

  #sweepBy(at: number): void {
    this.#sweepAgainAt = Math.min(this.#sweepAgainAt, Math.max(at, this.#sweptAt + ENGINE.sweepMs));
  }

  /** The endpoint's clock, in milliseconds. */
  now(held: Held): number {
    return held.isLive ? this.#ports.dueClock.now() : held.clockNow;
  }

  /** True if the endpoint only fails: all such endpoints share one slow pace. */
  isPaced({ isLive, pace }: Held): boolean {
    return isLive && isFailing(pace);
  }

  /** Reads the endpoints that want it, as many as fit into a few statements. @param withFailing One of the failing too. */
  async read(withFailing: boolean): Promise<void> {
    const chosen = this.#choose();
    const room = Math.max(0, ENGINE.ready - this.#ready);
    const most = Math.max(1, Math.min(ENGINE.readDeliveries, Math.floor(room / chosen.length)));
    // Of a fast endpoint a read serves many attempts; those of a slow one would have to be read again.
    const fast = chosen.filter(({ lastMs }) => lastMs !== undefined && lastMs < ENGINE.fastMs);
    const slow = chosen.filter((held) => !fast.includes(held));
    const few = Math.min(most, this.#policy.concurrencyPerEndpoint);
    if (fast.length > 0) await this.#read(fast, most);
    if (slow.length > 0) await this.#read(slow, few);
    const [failing] = withFailing ? this.#failingToRead : [];
    if (failing !== undefined) await this.#read([failing], 1);
  }

  #choose(): Held[] {
    const chosen: Held[] = [];
    for (const held of this.#toRead) {
      if (chosen.length >= ENGINE.readEndpoints) break;
      const isFull = this.#ready >= ENGINE.ready && held.ready.length > 0;
      if (held.ready.length <= held.pace.limit && !isFull) chosen.push(held);
      else {
        // It has enough to do, and is read again when it has started most of that.
        this.#toRead.delete(held);
        held.hasMore = true;
      }
    }
    return chosen;
  }

  async #read(chosen: readonly Held[], most: number): Promise<void> {
    const requests = chosen.map((held) => ({ endpoint: held.endpoint, after: held.cursor }));
    for (const held of chosen) {
      held.reading = { noticedAt: Infinity, recorded: new Set() };
      this.#toRead.delete(held);
      this.#failingToRead.delete(held);
    }
    try {
      const now = this.#ports.dueClock.now();
      const results = await this.#ports.store.read(requests, { now, most });
      const byKey = new Map(results.map((result) => [result.key, result]));
      for (const [index, held] of chosen.entries()) {
        const result = byKey.get(held.endpoint.key);
        // Without a result its subscription is paused or closed.
        if (result === undefined) this.leave(held);
        else this.#take(held, result, requests[index]?.after);
        const noticedAt = held.reading?.noticedAt ?? Infinity;
        if (noticedAt < Infinity) this.notice(held, noticedAt);
      }
    } catch (error) {
      for (const held of chosen) this.wantRead(held);
      throw error;
    } finally {
      for (const held of chosen) held.reading = undefined;
    }
  }

  #take(held: Held, { due, now, nextAt, isWhole }: ReadResult, readFrom: Cursor | undefined): void {
    held.clockNow = now;
    held.readAt = this.#ports.clock.elapsed();
    held.hasMore = !isWhole;
    held.nextAt = isWhole ? nextAt : undefined;
    const last = due.at(-1);
    // A hint during the read has set the cursor back.
    if (held.cursor !== readFrom) this.wantRead(held);
    else if (last !== undefined) held.cursor = { nextAt: last.nextAt, seq: last.seq };
    if (this.#leaving.has(held) || this.#held.get(held.endpoint.key) !== held) return;
    this.#forgetReady(held, due);
    const fresh = due.filter(
      ({ id }) => !held.open.has(id) && held.reading?.recorded.has(id) !== true,
    );
    for (const { id } of fresh) held.open.add(id);
    if (held.ready.length === 0) held.readyAt = held.readAt;
    held.ready.push(...fresh);
    // A read from further back finds deliveries that come before those that are ready.
    if (held.ready.length > fresh.length) held.ready.sort(byPlace);
    this.#ready += fresh.length;
    if (fresh.length > 0) held.usedAt = held.readAt;
    if (!held.isLive)
      this.#found.set(held.endpoint.clockId, this.found(held.endpoint.clockId) + fresh.length);
    if (held.ready.length > 0) this.offer(held);
    // All that was read is in flight already; there may be more behind it.
    else if (held.hasMore) this.wantRead(held);
  }

  /** Forgets what is ready and was read again: it may be due at another time now. */
  #forgetReady(held: Held, again: readonly DueDelivery[]): void {
    if (held.ready.length === 0) return;
    const ids = new Set(again.map(({ id }) => id));
    const kept = held.ready.filter(({ id }) => !ids.has(id));
    if (kept.length === held.ready.length) return;
    for (const { id } of held.ready) if (ids.has(id)) held.open.delete(id);
    this.#ready -= held.ready.length - kept.length;
    held.ready = kept;
  }

  /** Lets an endpoint take its turn if a delivery of it is ready. */
  offer(held: Held): void {
    if (held.ready.length === 0 || held.inFlight >= held.pace.limit) return;
    this.#turns.add(held);
    if (held.pace.restsUntil > this.#ports.clock.elapsed()) this.#sweepBy(held.pace.restsUntil);
  }

  /** The endpoint whose turn it is, among those that `admits` lets start. */
  next(
    admitsMerchant: (merchantId: string) => boolean,
    admits: (held: Held) => boolean,
  ): Held | undefined {
    return this.#turns.next({
      merchant: admitsMerchant,
      one: (held) => held.inFlight < held.pace.limit && admits(held),
    });
  }

  /**
   * Takes the next delivery of an endpoint. `undefined` if those in memory were read too long ago: its subscription
   * may have been closed since, so they are read again.
   */
  shift(held: Held): DueDelivery | undefined {
    if (this.#ports.clock.elapsed() - held.readyAt > ENGINE.freshMs) {
      this.dropReady(held);
      this.wantRead(held);
      return undefined;
    }
    const delivery = held.ready.shift();
    if (delivery === undefined) {
      this.#turns.remove(held);
      return undefined;
    }
    this.#ready -= 1;
    if (held.ready.length === 0 || held.inFlight + 1 >= held.pace.limit) this.#turns.remove(held);
    if (held.hasMore && held.ready.length <= held.pace.limit) this.wantRead(held);
    return delivery;
  }

  /** Forgets what has not started; it will be read again. */
  dropReady(held: Held): void {
    const [first] = held.ready;
    if (first !== undefined) {
      const place = { nextAt: first.nextAt, seq: first.seq - 1 };
      if (byPlace(place, held.cursor) < 0) held.cursor = place;
    }
    for (const { id } of held.ready) held.open.delete(id);
    this.#ready -= held.ready.length;
    held.ready = [];
    this.#turns.remove(held);
  }

  /**
   * Looks at every endpoint for what has become due, and lets those leave that have had no delivery for a while.
   *
   * @returns The monotonic time by which something is to be done without a hint.
   */
  sweep(): number {
    const now = this.#ports.clock.elapsed();
    if (now - this.#sweptAt < ENGINE.sweepMs) return this.#sweepAgainAt;
    this.#sweptAt = now;
    let next = Infinity;
    for (const held of this.#held.values()) next = Math.min(next, this.#sweepOne(held, now));
    this.#sweepAgainAt = Math.max(next, now + ENGINE.sweepMs);
    return this.#sweepAgainAt;
  }

  #sweepOne(held: Held, now: number): number {
    const until = held.nextAt === undefined ? Infinity : held.nextAt - this.now(held);
    let next = Math.min(held.readAt + ENGINE.rereadMs, held.isLive ? now + until : Infinity);
    if (now - held.fullReadAt >= ENGINE.fullReadMs) this.readFromBeginning(held);
    else if (held.isLive && until <= 0) {
      held.nextAt = undefined;
      this.wantRead(held);
    } else if (now - held.readAt >= ENGINE.rereadMs && held.open.size === 0) this.wantRead(held);
    if (held.ready.length > 0) {
      this.offer(held);
      if (held.pace.restsUntil > now) next = Math.min(next, held.pace.restsUntil);
    }
    // Failing endpoints take turns, each some milliseconds after the one before.
    const isPacedOut = held.ready.length > 0 && this.isPaced(held);
    if (isPacedOut || this.#failingToRead.has(held))
      next = Math.min(next, now + ENGINE.failingGapMs);
    const isIdle = now - held.usedAt >= ENGINE.idleMs && until > ENGINE.lookAheadMs;
    if (isIdle && held.open.size === 0) this.leave(held);
    return next;
  }
}
