import type { Target } from "./attempt.ts";
import type { DeliveryPolicy } from "./policy.ts";

interface Sender {
  readonly endpoint: { readonly key: string; readonly merchantId: string };
  readonly target: Target;
}

type Caps = Pick<DeliveryPolicy, "concurrency" | "concurrencyPerEndpoint" | "concurrencyPerHost">;

/**
 * Counts the attempts in flight of this process and caps them: in total, to a host, and of a merchant to one origin, whose
 * connections are shared. One user of such places takes at most three quarters of them: attempts that hang leave room for
 * other merchants, and for other endpoints of the merchant.
 */
export class InFlight {
  readonly #caps: Caps;
  /** By shared places, and by shared places and their user. */
  readonly #counts = new Map<string, number>();

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  /** Attempts in flight. */
  get total(): number {
    return this.#count("all");
  }

  /** True if this process has a place for another attempt of a merchant. */
  admitsMerchant(merchantId: string): boolean {
    return this.#isFree("all", merchantId, this.#caps.concurrency);
  }

  /** True if a connection is free for another attempt of this endpoint. */
  admits({ endpoint: { key, merchantId }, target }: Sender): boolean {
    if (!target.ok) return true;
    const { concurrencyPerEndpoint, concurrencyPerHost } = this.#caps;
    return (
      this.#isFree(`pool ${target.pool}`, key, concurrencyPerEndpoint) &&
      this.#isFree(`host ${target.host}`, merchantId, concurrencyPerHost)
    );
  }

  began(sender: Sender): void {
    this.#change(sender, 1);
  }

  ended(sender: Sender): void {
    this.#change(sender, -1);
  }

  #isFree(places: string, user: string, cap: number): boolean {
    const own = this.#count(`${places} of ${user}`);
    return this.#count(places) < cap && own < Math.ceil((cap * 3) / 4);
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #change({ endpoint: { key, merchantId }, target }: Sender, change: 1 | -1): void {
    const names = ["all", `all of ${merchantId}`];
    if (target.ok) {
      const [pool, host] = [`pool ${target.pool}`, `host ${target.host}`];
      names.push(pool, `${pool} of ${key}`, host, `${host} of ${merchantId}`);
    }
    for (const name of names) {
      const count = this.#count(name) + change;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}
