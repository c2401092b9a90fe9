import { ENGINE } from "./constants.ts";
import { byPlace, isPaced, isResting, type Held } from "./held.ts";
import type { InFlight } from "./in-flight.ts";
import type { DueDelivery } from "./types.ts";

interface Ports {
  readonly inFlight: Pick<InFlight, "admits" | "admitsMerchant">;
  /** Has an endpoint's queue read. */
  readonly wantRead: (held: Held) => void;
}

/** A delivery whose attempt starts, and its endpoint. */
export type Start = readonly [held: Held, delivery: DueDelivery];

/** The deliveries in memory that have not started. Endpoints take turns, failing ones apart and slowly. */
export class Ready {
  readonly #ports: Ports;
  /** Endpoints with a delivery that may have another attempt in flight and do not rest. */
  readonly #turns = new Turns();
  readonly #failing = new Turns();
  #size = 0;
  #failingAt = 0;
  #dueAt = Infinity;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Deliveries, of all endpoints. */
  get size(): number {
    return this.#size;
  }
  /** Monotonic time before which no failing endpoint is attempted. */
  get failingAt(): number {
    return this.#failingAt;
  }
  /** Monotonic time at which a delivery may start that could not when `take` was called last; `Infinity` without one. */
  get dueAt(): number {
    return this.#dueAt;
  }

  /** Adds deliveries that were just read, in place of those that were ready before. @returns How many are new. */
  add(held: Held, read: readonly DueDelivery[]): number {
    const again = new Set(held.ready.length === 0 ? [] : read.map(({ id }) => id));
    const kept = held.ready.filter(({ id }) => !again.has(id));
    // They may be due at another time now.
    for (const { id } of held.ready) if (again.has(id)) held.open.delete(id);
    const fresh = read.filter(
      ({ id }) => !held.open.has(id) && held.reading?.recorded.has(id) !== true,
    );
    for (const { id } of fresh) held.open.add(id);
    this.#size += kept.length + fresh.length - held.ready.length;
    if (kept.length === 0) held.readyAt = held.readAt;
    held.ready = [...kept, ...fresh];
    // A read from further back finds deliveries that come before those that are ready.
    if (kept.length > 0) held.ready.sort(byPlace);
    if (fresh.length > 0) held.usedAt = held.readAt;
    return fresh.length;
  }

  /** Forgets the deliveries of an endpoint, and sets its cursor back: they will be read again. */
  drop(held: Held): void {
    const [first] = held.ready;
    if (first !== undefined) {
      const place = { nextAt: first.nextAt, seq: first.seq - 1 };
      if (byPlace(place, held.cursor) < 0) held.cursor = place;
    }
    for (const { id } of held.ready) held.open.delete(id);
    this.#size -= held.ready.length;
    held.ready = [];
    this.#leaveTurns(held);
  }

  /** Lets an endpoint take its turn, if it can use it. */
  offer(held: Held, now: number): void {
    const isFull = held.inFlight >= held.pace.limit;
    if (held.ready.length === 0 || isFull || isResting(held, now)) this.#leaveTurns(held);
    else {
      const [turns, others] = isPaced(held)
        ? [this.#failing, this.#turns]
        : [this.#turns, this.#failing];
      others.remove(held);
      turns.add(held);
    }
  }

  /** Takes the deliveries that may start now, at most `most`. The caller starts each before it takes the next. */
  *take(now: number, most: number): Generator<Start> {
    const failing = most > 0 && this.#failingAt <= now ? this.#next(this.#failing, now) : undefined;
    if (failing !== undefined) {
      this.#failingAt = now + ENGINE.failingGapMs;
      yield failing;
    }
    for (let room = most; room > 0; room -= 1) {
      const one = this.#next(this.#turns, now);
      if (one === undefined) break;
      yield one;
    }
    this.#dueAt = this.#failing.size > 0 && this.#failingAt > now ? this.#failingAt : Infinity;
  }

  #next(turns: Turns, now: number): Start | undefined {
    for (;;) {
      const held = turns.next(this.#ports.inFlight);
      if (held === undefined) return undefined;
      const isOld = now - held.readyAt > ENGINE.freshMs;
      // Its subscription may have been closed since.
      if (isOld) this.drop(held);
      const delivery = held.ready.shift();
      if (delivery !== undefined) this.#size -= 1;
      if (held.ready.length === 0 || held.inFlight + 1 >= held.pace.limit) this.#leaveTurns(held);
      if (isOld || (held.hasMore && held.ready.length <= held.pace.limit))
        this.#ports.wantRead(held);
      if (delivery !== undefined) return [held, delivery];
    }
  }

  #leaveTurns(held: Held): void {
    this.#turns.remove(held);
    this.#failing.remove(held);
  }
}

/** Turns of merchants, and of the endpoints of each, so that nobody waits for hundreds of another's deliveries. */
class Turns {
  /** By merchant, then by key. The one whose turn it is comes first. */
  readonly #merchants = new Map<string, Map<string, Held>>();

  /** Merchants. */
  get size(): number {
    return this.#merchants.size;
  }

  add(held: Held): void {
    const { key, merchantId } = held.endpoint;
    const others = this.#merchants.get(merchantId);
    if (others === undefined) this.#merchants.set(merchantId, new Map([[key, held]]));
    else others.set(key, held);
  }

  remove({ endpoint: { key, merchantId } }: Held): void {
    const others = this.#merchants.get(merchantId);
    others?.delete(key);
    if (others?.size === 0) this.#merchants.delete(merchantId);
  }

  /** The next endpoint that is admitted. Looks at a bounded number, and continues from there at the next call. */
  next(inFlight: Ports["inFlight"]): Held | undefined {
    let looks: number = ENGINE.looksPerStart;
    let merchants = this.#merchants.size;
    // Maps go on with what is added at their end.
    for (const [merchantId, endpoints] of this.#merchants) {
      if (looks <= 0 || merchants <= 0) return undefined;
      looks -= 1;
      merchants -= 1;
      this.#merchants.delete(merchantId);
      this.#merchants.set(merchantId, endpoints);
      let left = inFlight.admitsMerchant(merchantId) ? endpoints.size : 0;
      for (const [key, held] of endpoints) {
        if (looks <= 0 || left <= 0) break;
        looks -= 1;
        left -= 1;
        endpoints.delete(key);
        endpoints.set(key, held);
        if (inFlight.admits(held)) return held;
      }
    }
    return undefined;
  }
}
