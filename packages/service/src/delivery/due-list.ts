import type { DueSubscription } from "../store/operations/deliveries/due-subscriptions.ts";

/** What a merchant gets in its turn at most. */
const MAX_QUANTUM = 8;

/** What all failing subscriptions are given; no key has a space. */
const ALL_FAILING = "all failing";

/** What may be claimed. */
export interface Room {
  /** In all. */
  readonly total: number;
  /** Of one subscription, without what is shared out here. */
  readonly fits: (subscription: DueSubscription) => number;
  /** Of all subscriptions of its host, likewise. */
  readonly fitsOnHost: (subscription: DueSubscription) => number;
  /** Of all failing subscriptions, likewise. Default: no such bound. */
  readonly failing?: { readonly has: (key: string) => boolean; readonly room: number };
}

/** How many deliveries of a subscription are to be claimed: a power of two. */
export interface Share {
  readonly subscription: DueSubscription;
  readonly count: number;
}

/**
 * The subscriptions of one clock that had something due when the store was asked. Merchants come in turns,
 * whatever the number of their subscriptions and of what waits for them, and so do the subscriptions of each.
 */
export class DueList {
  /** The merchant whose turn it is comes first. */
  #merchants = new Map<string, DueSubscription[]>();

  get isEmpty(): boolean {
    return this.#merchants.size === 0;
  }

  /** Takes over what the store has said; those that are here already keep their turns. */
  replace(found: readonly DueSubscription[]): void {
    const news = new Map(found.map((subscription) => [subscription.key, subscription]));
    const merchants = new Map<string, DueSubscription[]>();
    for (const [merchantId, subscriptions] of this.#merchants) {
      const kept = subscriptions.filter(({ key }) => news.delete(key));
      if (kept.length > 0) merchants.set(merchantId, kept);
    }
    for (const subscription of news.values()) {
      const others = merchants.get(subscription.merchantId);
      if (others === undefined) merchants.set(subscription.merchantId, [subscription]);
      else others.push(subscription);
    }
    this.#merchants = merchants;
  }

  /** Nothing of it is due any more. */
  remove({ key, merchantId }: DueSubscription): void {
    const kept = (this.#merchants.get(merchantId) ?? []).filter((other) => other.key !== key);
    if (kept.length === 0) this.#merchants.delete(merchantId);
    else this.#merchants.set(merchantId, kept);
  }

  /**
   * Shares the room: in each turn a merchant gets up to eight, until the room is used or nothing fits. The
   * more subscriptions, the less in a turn: what was written at one time is claimed at one time, and stands
   * on the same pages of the store.
   */
  share({ total, fits, fitsOnHost, failing }: Room): Share[] {
    const quantum = Math.min(MAX_QUANTUM, Math.max(1, Math.ceil(total / this.#size)));
    const shares: Share[] = [];
    const given = new Map<string, number>();
    const of = (name: string): number => given.get(name) ?? 0;
    const isFailing = ({ key }: DueSubscription): boolean => failing?.has(key) === true;
    const fitsFailing = (): number => (failing?.room ?? 0) - of(ALL_FAILING);
    const left = (one: DueSubscription): number =>
      isFailing(one) && fitsFailing() <= 0
        ? 0
        : Math.min(fits(one) - of(one.key), fitsOnHost(one) - of(`host ${one.host}`), quantum);
    let room = total;
    let waiting = [...this.#merchants.keys()];
    while (room > 0 && waiting.length > 0) {
      const again: string[] = [];
      for (const merchantId of waiting) {
        if (room <= 0) break;
        const subscription = this.#next(merchantId, (one) => left(one) > 0);
        if (subscription === undefined) continue;
        const most = isFailing(subscription) ? Math.min(fitsFailing(), room) : room;
        const count = powerOfTwo(Math.min(left(subscription), most));
        shares.push({ subscription, count });
        const names = [subscription.key, `host ${subscription.host}`];
        for (const name of isFailing(subscription) ? [...names, ALL_FAILING] : names) {
          given.set(name, of(name) + count);
        }
        room -= count;
        again.push(merchantId);
      }
      waiting = again;
    }
    return shares;
  }

  get #size(): number {
    let size = 0;
    for (const subscriptions of this.#merchants.values()) size += subscriptions.length;
    return size;
  }

  /** The next subscription of a merchant, which goes to the end of its turns with its merchant. */
  #next(
    merchantId: string,
    isFitting: (one: DueSubscription) => boolean,
  ): DueSubscription | undefined {
    const subscriptions = this.#merchants.get(merchantId) ?? [];
    const at = subscriptions.findIndex(isFitting);
    const found = subscriptions[at];
    if (found === undefined) return undefined;
    subscriptions.splice(at, 1);
    subscriptions.push(found);
    this.#merchants.delete(merchantId);
    this.#merchants.set(merchantId, subscriptions);
    return found;
  }
}

/** The largest one that is not above `count`: a statement of each size is prepared once. */
function powerOfTwo(count: number): number {
  return 2 ** Math.floor(Math.log2(count));
}
