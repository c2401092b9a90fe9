import type { Clock, DueClock } from "../clock.ts";
import { openTarget, type AttemptPorts } from "./attempt.ts";
import { ENGINE } from "./constants.ts";
import { freshPace } from "./decisions.ts";
import { BEGINNING, isPaced, isResting, LAST_SEQ, newHeld, type Held } from "./held.ts";
import type { InFlight } from "./in-flight.ts";
import type { DeliveryPolicy } from "./policy.ts";
import { Ready } from "./ready.ts";
import type { Cursor, DeliveryStore, Endpoint, ReadResult } from "./types.ts";

type Ports = Pick<AttemptPorts, "vault" | "endpoints"> & {
  readonly store: Pick<DeliveryStore, "read">;
  readonly clock: Clock;
  readonly dueClock: DueClock;
  readonly inFlight: InFlight;
};

/**
 * The queues of the leased endpoints. Each is read forward from a cursor. What lies behind the cursor (a row that
 * was committed late, a replay) is found by a hint, or by a read from the beginning now and then.
 */
export class Queues {
  /** The deliveries that were read and have not started. */
  readonly ready: Ready;
  readonly #ports: Ports;
  readonly #policy: DeliveryPolicy;
  readonly #held = new Map<string, Held>();
  /** Endpoints to be read, in turn; failing ones apart, since few of them are read at a time. */
  readonly #toRead = new Set<Held>();
  readonly #failingToRead = new Set<Held>();
  /** Endpoints to give back once nothing of them is open. */
  readonly #leaving = new Set<Held>();
  /** Deliveries read of each namespace's clock. */
  readonly #found = new Map<string, number>();
  #sweptAt = -Infinity;
  #sweepAt = 0;

  constructor(ports: Ports, policy: DeliveryPolicy) {
    this.#ports = ports;
    this.#policy = policy;
    const { inFlight } = ports;
    this.ready = new Ready({ inFlight, wantRead: (held) => this.wantRead(held) });
  }

  get size(): number {
    return this.#held.size;
  }
  /** Monotonic time by which there is something to read, to sweep, or to start without an attempt's end before it. */
  get dueAt(): number {
    if (this.#toRead.size > 0) return 0;
    const failingAt = this.#failingToRead.size > 0 ? this.ready.failingAt : Infinity;
    return Math.min(this.#sweepAt, this.ready.dueAt, failingAt);
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
    this.wantRead(held);
  }

  /** Drops an endpoint that is leased no more. Attempts in flight are still recorded. */
  forget(held: Held): void {
    this.ready.drop(held);
    this.#toRead.delete(held);
    this.#failingToRead.delete(held);
    this.#leaving.delete(held);
    this.#held.delete(held.endpoint.key);
  }

  /** Has an endpoint given back once nothing of it is open. */
  leave(held: Held): void {
    this.#leaving.add(held);
    this.ready.drop(held);
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
    (isPaced(held) ? this.#failingToRead : this.#toRead).add(held);
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
      this.#sweepBy(this.#ports.clock.elapsed() + held.nextAt - this.now(held));
    }
  }

  /** Reports that an attempt is recorded. */
  recorded(held: Held, id: string): void {
    held.open.delete(id);
    held.reading?.recorded.add(id);
    if (held.open.size === 0) this.#sweepBy(held.readAt + ENGINE.rereadMs);
  }

  #sweepBy(at: number): void {
    this.#sweepAt = Math.min(this.#sweepAt, Math.max(at, this.#nextSweepAt));
  }

  /** Monotonic time of the next sweep at the earliest: its cost grows with the number of endpoints. */
  get #nextSweepAt(): number {
    const gap = Math.max(1, this.#held.size / ENGINE.sweptPerMs);
    return this.#sweptAt + Math.min(gap, ENGINE.longestSweepGapMs);
  }

  /** The endpoint's clock, in milliseconds. */
  now(held: Held): number {
    return held.isLive ? this.#ports.dueClock.now() : held.clockNow;
  }

  /** Reads the endpoints that want it, as many as fit into a few statements, and one of the failing if it is time to. */
  async read(): Promise<void> {
    const chosen = this.#choose();
    const room = Math.max(0, ENGINE.ready - this.ready.size);
    const most = Math.max(1, Math.min(ENGINE.readDeliveries, Math.floor(room / chosen.length)));
    // Of a fast endpoint a read serves many attempts; those of a slow one would have to be read again.
    const fast = chosen.filter(({ lastMs }) => lastMs !== undefined && lastMs < ENGINE.fastMs);
    const slow = chosen.filter((held) => !fast.includes(held));
    const few = Math.min(most, this.#policy.concurrencyPerEndpoint);
    if (fast.length > 0) await this.#read(fast, most);
    if (slow.length > 0) await this.#read(slow, few);
    const [failing] = this.#failingToRead;
    if (failing !== undefined && this.#ports.clock.elapsed() >= this.ready.failingAt)
      await this.#read([failing], 1);
  }

  #choose(): Held[] {
    const chosen: Held[] = [];
    for (const held of this.#toRead) {
      if (chosen.length >= ENGINE.readEndpoints) break;
      const isFull = this.ready.size >= ENGINE.ready && held.ready.length > 0;
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
    if (held.isLive && held.nextAt !== undefined)
      this.#sweepBy(held.readAt + held.nextAt - this.now(held));
    const last = due.at(-1);
    // A hint during the read has set the cursor back.
    if (held.cursor !== readFrom) this.wantRead(held);
    else if (last !== undefined) held.cursor = { nextAt: last.nextAt, seq: last.seq };
    if (this.#leaving.has(held) || this.#held.get(held.endpoint.key) !== held) return;
    const found = this.ready.add(held, due);
    const { clockId } = held.endpoint;
    if (!held.isLive) this.#found.set(clockId, this.found(clockId) + found);
    if (held.ready.length > 0) this.offer(held);
    // All that was read is in flight already; there may be more behind it.
    else if (held.hasMore) this.wantRead(held);
  }

  /** Lets an endpoint take its turn, now or when its rest ends. */
  offer(held: Held): void {
    const now = this.#ports.clock.elapsed();
    this.ready.offer(held, now);
    if (held.ready.length > 0 && isResting(held, now)) this.#sweepBy(held.pace.restsUntil);
  }

  /** Looks at every endpoint for what has become due, and lets those leave that have had no delivery for a while. */
  sweep(): void {
    const now = this.#ports.clock.elapsed();
    if (now < this.#nextSweepAt) return;
    this.#sweptAt = now;
    this.#sweepAt = Infinity;
    for (const held of this.#held.values()) this.#sweepBy(this.#sweepOne(held, now));
  }

  /** @returns Monotonic time by which the endpoint is to be looked at again. */
  #sweepOne(held: Held, now: number): number {
    const until = held.nextAt === undefined ? Infinity : held.nextAt - this.now(held);
    const rereadAt = held.open.size === 0 ? held.readAt + ENGINE.rereadMs : Infinity;
    if (now - held.fullReadAt >= ENGINE.fullReadMs) this.readFromBeginning(held);
    else if (held.isLive && until <= 0) {
      held.nextAt = undefined;
      this.wantRead(held);
    } else if (rereadAt <= now) this.wantRead(held);
    if (held.ready.length > 0) this.offer(held);
    const isIdle = now - held.usedAt >= ENGINE.idleMs && until > ENGINE.lookAheadMs;
    if (isIdle && held.open.size === 0) this.leave(held);
    // Endpoints with due deliveries are to be read already, and may wait for their turn.
    const later = [rereadAt, held.isLive ? now + until : Infinity].filter((at) => at > now);
    return Math.min(...later);
  }
}
