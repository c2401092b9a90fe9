import { freshPace, paceAfter, type Pace } from "./decisions.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { Answer, ClaimedBatch, ClaimRequest, DueQueue, NewWork, Place } from "./types.ts";

/** A place in a subscription's queue, in which something may be due, or to whose endpoint an attempt is in flight. */
interface Cursor {
  /** The names under which places are counted: the host, and the merchant's part of it. */
  readonly host: string;
  readonly share: string;
  /** The place before which everything has been claimed, by this process or another one, or is done. */
  after: Place;
  /** True if something may be due behind `after`. */
  isDue: boolean;
  /** Attempts in flight, and those that a claim under way may start. */
  taken: number;
  pace: Pace;
}

type Caps = Pick<DeliveryPolicy, "success" | "concurrencyPerEndpoint" | "concurrencyPerHost">;

/** Subscriptions of one call of the store: bounds its duration. */
const MOST_REQUESTS = 128;

/**
 * The places where to claim next, and how many: the only state of a delivering process next to the deliveries in hand. It may
 * be wrong: a claim in a queue that seemed due returns nothing, and the next look finds one that seemed not to be.
 */
export class ClaimCursors {
  /** By the subscription's key, in the order of their turns. */
  readonly #cursors = new Map<string, Cursor>();
  /** Places taken of each host, and of it by each merchant. */
  readonly #taken = new Map<string, number>();
  readonly #caps: Caps;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  /** A delivery was written that is due at `at`, perhaps before others that have been claimed. */
  wrote({ at, ...written }: NewWork): void {
    this.#isDueFrom({ ...written, first: { nextAt: at, seq: 0 } });
  }

  /** A look has found these: nothing before their places is free. */
  found(due: readonly DueQueue[]): void {
    for (const one of due) this.#isDueFrom(one);
  }

  #isDueFrom({ key, merchantId, url, first }: DueQueue): void {
    // A sequence number of 0 is that of no row: everything that is due then is behind it.
    const after = { nextAt: first.nextAt, seq: Math.max(0, first.seq - 1) };
    const cursor = this.#cursors.get(key);
    if (cursor === undefined) {
      const host = URL.canParse(url) ? new URL(url).host : key;
      const share = `${host} ${merchantId}`;
      const pace = freshPace(this.#caps);
      this.#cursors.set(key, { host, share, after, isDue: true, taken: 0, pace });
    } else {
      if (!cursor.isDue || isBefore(after, cursor.after)) cursor.after = after;
      cursor.isDue = true;
    }
  }

  /** Chooses whose deliveries to claim: of due queues, in turn, as many as the endpoint and its host may have in flight. */
  choose(room: number, now: number): ClaimRequest[] {
    const chosen: ClaimRequest[] = [];
    let left = room;
    for (const [key, cursor] of this.#cursors) {
      if (left <= 0 || chosen.length >= MOST_REQUESTS) break;
      const { after, isDue, taken, pace } = cursor;
      if (!isDue || pace.restsUntil > now) continue;
      const most = Math.min(pace.limit - taken, this.#freeOf(cursor), left);
      if (most <= 0) continue;
      chosen.push({ key, after, most });
      left -= most;
      cursor.isDue = false;
      this.#take(cursor, most);
    }
    // Their next turns come after those of all others.
    for (const { key } of chosen) {
      const cursor = this.#of(key);
      this.#cursors.delete(key);
      this.#cursors.set(key, cursor);
    }
    return chosen;
  }

  /** A request has claimed these deliveries. @param starts Attempts that start now. */
  claimed(
    { key, after, most }: ClaimRequest,
    { deliveries, starts }: Pick<ClaimedBatch, "deliveries"> & { readonly starts: number },
  ): void {
    const cursor = this.#of(key);
    const last = deliveries.at(-1);
    // Otherwise it was set back during the call.
    if (last !== undefined && cursor.after === after)
      cursor.after = { nextAt: last.nextAt, seq: last.seq };
    if (deliveries.length === most) cursor.isDue = true;
    this.#giveBack(key, cursor, most - starts);
  }

  /** Requests have claimed nothing, or their answer was lost. */
  unclaimed(requests: readonly ClaimRequest[]): void {
    for (const { key, most } of requests) {
      const cursor = this.#of(key);
      cursor.isDue = true;
      this.#giveBack(key, cursor, most);
    }
  }

  /**
   * An attempt has ended. @param answer `undefined` changes no pace: a namespace's clock stands still while its deliveries
   * are made. @param now Monotonic time, in milliseconds.
   */
  ended(key: string, answer: Answer | undefined, now: number): void {
    const cursor = this.#of(key);
    if (answer !== undefined) cursor.pace = paceAfter(cursor.pace, answer, now, this.#caps);
    this.#giveBack(key, cursor, 1);
  }

  /** Free places of the host: one merchant has at most three quarters of them, since attempts may hang. */
  #freeOf({ host, share }: Cursor): number {
    const all = this.#caps.concurrencyPerHost;
    const [ofHost, ofMerchant] = [this.#taken.get(host) ?? 0, this.#taken.get(share) ?? 0];
    return Math.min(all - ofHost, Math.ceil((all * 3) / 4) - ofMerchant);
  }

  #take(cursor: Cursor, places: number): void {
    cursor.taken += places;
    for (const name of [cursor.host, cursor.share]) {
      const taken = (this.#taken.get(name) ?? 0) + places;
      if (taken === 0) this.#taken.delete(name);
      else this.#taken.set(name, taken);
    }
  }

  /** Also forgets a queue about which nothing is to be known: one whose endpoint rested is kept until a success. */
  #giveBack(key: string, cursor: Cursor, places: number): void {
    this.#take(cursor, -places);
    if (!cursor.isDue && cursor.taken === 0 && cursor.pace.rests === 0) this.#cursors.delete(key);
  }

  #of(key: string): Cursor {
    const cursor = this.#cursors.get(key);
    if (cursor === undefined) throw new Error(`the queue ${key} was forgotten`);
    return cursor;
  }
}

const isBefore = (one: Place, other: Place): boolean =>
  one.nextAt < other.nextAt || (one.nextAt === other.nextAt && one.seq < other.seq);
