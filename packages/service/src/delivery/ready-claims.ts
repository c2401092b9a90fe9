import type { Claim } from "./claim.ts";

type Subscription = Claim["subscription"];

/**
 * Claims whose attempts have not begun. Merchants take turns, so that none waits behind hundreds of another's; those
 * of one merchant keep the order in which they were claimed. One whose subscription or host has its fill steps
 * aside until an attempt to that host ends, and nobody waits behind it.
 */
export class ReadyClaims {
  /** By merchant; whose turn it is comes first. */
  readonly #queues = new Map<string, Claim[]>();
  /** By host. */
  readonly #aside = new Map<string, Claim[]>();

  add(claim: Claim): void {
    const queue = this.#queues.get(claim.merchantId);
    if (queue === undefined) this.#queues.set(claim.merchantId, [claim]);
    else queue.push(claim);
  }

  /**
   * Takes the next claim whose attempt may begin.
   *
   * @param freed The host of an attempt that has ended: what stepped aside for it comes first.
   */
  next(
    admits: (subscription: Subscription) => boolean,
    freed: string | undefined,
  ): Claim | undefined {
    return (
      (freed === undefined ? undefined : this.#nextAside(freed, admits)) ?? this.#first(admits)
    );
  }

  /** Takes all of them. */
  takeAll(): Claim[] {
    const all = [...this.#queues.values(), ...this.#aside.values()].flat();
    this.#queues.clear();
    this.#aside.clear();
    return all;
  }

  #nextAside(host: string, admits: (subscription: Subscription) => boolean): Claim | undefined {
    const aside = this.#aside.get(host) ?? [];
    const at = aside.findIndex(({ subscription }) => admits(subscription));
    const [found] = at === -1 ? [] : aside.splice(at, 1);
    if (aside.length === 0) this.#aside.delete(host);
    return found;
  }

  #first(admits: (subscription: Subscription) => boolean): Claim | undefined {
    for (const [merchantId, queue] of this.#queues) {
      const claim = this.#firstOf(queue, admits);
      this.#queues.delete(merchantId);
      if (queue.length > 0) this.#queues.set(merchantId, queue);
      if (claim !== undefined) return claim;
    }
    return undefined;
  }

  /** What steps aside leaves the queue, which is empty where nothing is found. */
  #firstOf(queue: Claim[], admits: (subscription: Subscription) => boolean): Claim | undefined {
    for (;;) {
      const claim = queue.shift();
      if (claim === undefined || admits(claim.subscription)) return claim;
      const { host } = claim.subscription;
      const aside = this.#aside.get(host);
      if (aside === undefined) this.#aside.set(host, [claim]);
      else aside.push(claim);
    }
  }
}
