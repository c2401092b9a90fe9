import type { Claim } from "./claim.ts";

type Subscription = Claim["subscription"];

/**
 * Claims whose attempts have not begun, in the order in which they were claimed. One whose subscription or
 * host has its fill steps aside until an attempt to that host ends, and nobody waits behind it.
 */
export class ReadyClaims {
  #queue: Claim[] = [];
  /** By host. */
  readonly #aside = new Map<string, Claim[]>();

  add(claim: Claim): void {
    this.#queue.push(claim);
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
    const all = [...this.#queue, ...[...this.#aside.values()].flat()];
    this.#queue = [];
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
    for (;;) {
      const claim = this.#queue.shift();
      if (claim === undefined || admits(claim.subscription)) return claim;
      const { host } = claim.subscription;
      const aside = this.#aside.get(host);
      if (aside === undefined) this.#aside.set(host, [claim]);
      else aside.push(claim);
    }
  }
}
