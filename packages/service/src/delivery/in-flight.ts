import type { Target } from "./attempt.ts";
import { mayTakePlace } from "./decisions.ts";
import type { DeliveryPolicy } from "./policy.ts";

interface Sender {
  readonly endpoint: { readonly merchantId: string };
  readonly target: Target;
}

type Caps = Pick<DeliveryPolicy, "concurrency" | "concurrencyPerEndpoint" | "concurrencyPerHost">;

/** Counts the attempts in flight of this process, by merchant and by host. */
export class InFlight {
  readonly #caps: Caps;
  readonly #merchants = new Map<string, number>();
  /** By host, then by merchant. */
  readonly #hosts = new Map<string, Map<string, number>>();
  /** By merchant and origin: those that share connections. */
  readonly #pools = new Map<string, number>();
  #total = 0;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  get total(): number {
    return this.#total;
  }

  /** True if this process has a place for another attempt of a merchant. */
  admitsMerchant(merchantId: string): boolean {
    const { concurrency } = this.#caps;
    const own = this.#merchants.get(merchantId) ?? 0;
    const use = { total: this.#total, own, users: this.#merchants.size };
    return mayTakePlace(use, { places: concurrency, reserve: Math.ceil(concurrency / 4), few: 4 });
  }

  /** True if another attempt of a merchant at this host may start. */
  admits({ endpoint: { merchantId }, target }: Sender): boolean {
    const { concurrencyPerEndpoint, concurrencyPerHost } = this.#caps;
    if (!target.ok) return true;
    if ((this.#pools.get(poolName(merchantId, target.url)) ?? 0) >= concurrencyPerEndpoint)
      return false;
    const users = this.#hosts.get(target.url.host);
    if (users === undefined) return true;
    let total = 0;
    for (const count of users.values()) total += count;
    const reserve = Math.floor(concurrencyPerHost / 4);
    const host = { total, own: users.get(merchantId) ?? 0, users: users.size };
    return mayTakePlace(host, { places: concurrencyPerHost - reserve, reserve, few: 1 });
  }

  began(sender: Sender): void {
    this.#count(sender, 1);
  }

  ended(sender: Sender): void {
    this.#count(sender, -1);
  }

  #count({ endpoint: { merchantId }, target }: Sender, change: 1 | -1): void {
    this.#total += change;
    add(this.#merchants, merchantId, change);
    if (!target.ok) return;
    const { host } = target.url;
    add(this.#pools, poolName(merchantId, target.url), change);
    const users = this.#hosts.get(host) ?? new Map<string, number>();
    add(users, merchantId, change);
    if (users.size > 0) this.#hosts.set(host, users);
    else this.#hosts.delete(host);
  }
}

const poolName = (merchantId: string, { origin }: URL): string => `${merchantId} ${origin}`;

function add(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
