import type { Target } from "./attempt.ts";
import { mayTakePlace, type Use } from "./decisions.ts";
import type { DeliveryPolicy } from "./policy.ts";

interface Sender {
  readonly endpoint: { readonly key: string; readonly merchantId: string };
  readonly target: Target;
}

type Caps = Pick<DeliveryPolicy, "concurrency" | "concurrencyPerEndpoint" | "concurrencyPerHost">;

/** Counts the attempts in flight of this process, and shares its places and connections. */
export class InFlight {
  readonly #caps: Caps;
  readonly #merchants = new Map<string, number>();
  /** By host, then by merchant. */
  readonly #hosts = new Map<string, Map<string, number>>();
  /** By merchant and origin, whose connections are shared; then by endpoint. */
  readonly #pools = new Map<string, Map<string, number>>();
  /** Endpoints of each merchant and origin that this process leases. */
  readonly #endpoints = new Map<string, number>();
  #total = 0;

  constructor(caps: Caps) {
    this.#caps = caps;
  }

  /** Attempts in flight. */
  get total(): number {
    return this.#total;
  }

  /** True if this process has a place for another attempt of a merchant. */
  admitsMerchant(merchantId: string): boolean {
    const { concurrency: places } = this.#caps;
    const own = this.#merchants.get(merchantId) ?? 0;
    const use = { total: this.#total, own, users: this.#merchants.size };
    return mayTakePlace(use, { places, reserve: Math.ceil(places / 4), few: 4 });
  }

  /** True if a connection is free for another attempt of this endpoint. */
  admits({ endpoint: { key, merchantId }, target }: Sender): boolean {
    if (!target.ok) return true;
    const { concurrencyPerEndpoint, concurrencyPerHost } = this.#caps;
    const pool = useOf(this.#pools.get(target.pool), key);
    // A slow endpoint leaves connections to its merchant's others at the same origin.
    const sharesOrigin = (this.#endpoints.get(target.pool) ?? 0) > 1;
    const isPoolFree = sharesOrigin
      ? mayTakePlace(pool, withReserve(concurrencyPerEndpoint))
      : pool.total < concurrencyPerEndpoint;
    const host = useOf(this.#hosts.get(target.host), merchantId);
    return isPoolFree && mayTakePlace(host, withReserve(concurrencyPerHost));
  }

  /** Counts an endpoint that this process leases. */
  leased({ target }: Pick<Sender, "target">): void {
    if (target.ok) add(this.#endpoints, target.pool, 1);
  }

  released({ target }: Pick<Sender, "target">): void {
    if (target.ok) add(this.#endpoints, target.pool, -1);
  }

  began(sender: Sender): void {
    this.#count(sender, 1);
  }

  ended(sender: Sender): void {
    this.#count(sender, -1);
  }

  #count({ endpoint: { key, merchantId }, target }: Sender, change: 1 | -1): void {
    this.#total += change;
    add(this.#merchants, merchantId, change);
    if (!target.ok) return;
    addTo(this.#pools, [target.pool, key], change);
    addTo(this.#hosts, [target.host, merchantId], change);
  }
}

/** A quarter of the places is for those that have none. */
function withReserve(all: number): { places: number; reserve: number; few: number } {
  const reserve = Math.floor(all / 4);
  return { places: all - reserve, reserve, few: 1 };
}

function useOf(counts: ReadonlyMap<string, number> | undefined, name: string): Use {
  let total = 0;
  for (const count of counts?.values() ?? []) total += count;
  return { total, own: counts?.get(name) ?? 0, users: counts?.size ?? 0 };
}

function add(counts: Map<string, number>, name: string, change: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function addTo(
  groups: Map<string, Map<string, number>>,
  [group, name]: readonly [group: string, name: string],
  change: 1 | -1,
): void {
  const counts = groups.get(group) ?? new Map<string, number>();
  add(counts, name, change);
  if (counts.size > 0) groups.set(group, counts);
  else groups.delete(group);
}
