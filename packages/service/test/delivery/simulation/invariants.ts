import { ENGINE } from "../../../src/delivery/constants.ts";
import type { Completion } from "../../../src/delivery/types.ts";
import type { ModelDelivery } from "./model-store.ts";
import { POLICY, type Behaviour } from "./plan.ts";
import type { Post, Process } from "./process.ts";
import type { Simulation } from "./simulation.ts";

export interface EndpointState {
  readonly key: string;
  behaviour: Behaviour;
  /** Since when every attempt succeeds at once; `undefined` if they do not. */
  goodSince: number | undefined;
  /** Since when the subscription is paused or closed. */
  inactiveSince: number | undefined;
}

/** The rules that hold in every world. Times are milliseconds. */
export class Invariants {
  readonly #watched: Simulation;
  readonly #open = new Set<Post>();
  /** When processes have learnt of a delivery; infinite without a hint. */
  readonly #knownAt = new Map<string, number>();
  readonly #changedAt = new Map<string, number>();
  /** Since when a delivery of a good endpoint could be attempted. */
  readonly #overdue = new Map<string, { readonly since: number; readonly version: string }>();
  readonly #mayBeBehind: boolean;
  #calmSince = -Infinity;
  #unfairSince: number | undefined;

  constructor(watched: Simulation) {
    this.#watched = watched;
    this.#mayBeBehind = watched.plan.moves.some(
      (move) => move.do === "step" || move.do === "replay" || (move.do === "write" && move.lag > 0),
    );
  }

  get #now(): number {
    return this.#watched.timeline.now;
  }

  disturb(until: number): void {
    this.#calmSince = Math.max(this.#calmSince, until);
  }

  /** Reports that deliveries were changed, of which processes learn after `hint`. */
  changed(hint: number, isChanged: (row: ModelDelivery) => boolean): void {
    for (const row of [...this.#watched.store.deliveries.values()].filter(isChanged)) {
      this.#knownAt.set(row.id, this.#now + hint);
      this.#changedAt.set(row.id, this.#now);
    }
  }

  completed(group: readonly Completion[]): void {
    const ids = new Set(group.map(({ attempt }) => attempt.delivery.id));
    this.changed(0, ({ id }) => ids.has(id));
    this.#watchActive();
    for (const one of group) this.#checkStep(one);
  }

  #checkStep({ attempt, state, nextAt, at }: Completion): void {
    const { steps, jitter, retryAfterFactor } = POLICY.schedule;
    const { delivery, number } = attempt;
    const step = steps[number];
    if (state === "exhausted" && step !== undefined)
      this.#watched.broken(`${delivery.id} is exhausted after ${number} attempts`);
    // A replay is due at another time.
    if (nextAt === null || this.#watched.store.replayed.has(delivery.id)) return;
    const wait = nextAt - at;
    if (step === undefined || wait < step * (1 - jitter) - 1 || wait > step * retryAfterFactor + 1)
      this.#watched.broken(`${delivery.id} waits for ${wait} ms after attempt ${number}`);
  }

  began(post: Post): void {
    const { endpoints, store } = this.#watched;
    const broken = (rule: string): void => this.#watched.broken(rule);
    const { id, process } = post;
    const row = store.deliveries.get(id);
    const endpoint = endpoints.get(row?.key ?? "");
    if (row === undefined || endpoint === undefined) return broken(`delivery ${id} not found`);
    this.#open.add(post);
    this.#overdue.delete(id);
    if (process.stoodStill) return;
    const others = [...this.#open].filter((one) => one !== post && !one.process.stoodStill);
    if (others.some((one) => one.id === id)) broken(`${id} is attempted twice at once`);
    const toEndpoint = others.filter((one) => store.deliveries.get(one.id)?.key === row.key);
    if (toEndpoint.length >= POLICY.concurrencyPerEndpoint)
      broken(`${row.key} has more attempts than its limit`);
    const holder = store.leases.get(row.key) ?? "";
    if (nameOf(holder) !== process.id || !store.members.has(holder))
      broken(`${process.id} posts to ${row.key} without its lease`);
    const staleMs = ENGINE.freshMs + 20;
    if (this.#now < this.#calmSince + staleMs) return;
    if (this.#now > (endpoint.inactiveSince ?? Infinity) + staleMs)
      broken(`${id} is attempted while its subscription is not active`);
    const isDue = row.nextAt !== null && row.nextAt <= process.dueClock.now();
    const isNews = this.#now < (this.#changedAt.get(id) ?? -Infinity) + staleMs;
    if (!isDue && !isNews && endpoint.inactiveSince === undefined)
      broken(`${id} is attempted although it is not due`);
  }

  ended(post: Post): void {
    this.#open.delete(post);
  }

  check(): void {
    const { store } = this.#watched;
    this.#watchActive();
    const running = this.#watched.running().filter(({ state }) => state === "runs");
    const dueNow = Math.min(...running.map(({ dueClock }) => dueClock.now()));
    const busy = new Set([...this.#open].map(({ id }) => id));
    for (const row of store.deliveries.values())
      if (row.state === "waiting")
        this.#checkStart(row, running.length > 0 && !busy.has(row.id) ? dueNow : -Infinity);
    this.#checkShares(running);
  }

  #watchActive(): void {
    const { endpoints, store } = this.#watched;
    for (const endpoint of endpoints.values()) {
      const isActive = store.subscriptions.get(endpoint.key)?.status === "ACTIVE";
      endpoint.inactiveSince = isActive ? undefined : (endpoint.inactiveSince ?? this.#now);
    }
  }

  #checkStart(row: ModelDelivery, dueNow: number): void {
    const { goodSince, inactiveSince } = this.#watched.endpoints.get(row.key) ?? {};
    const isDue = row.nextAt !== null && row.nextAt <= dueNow;
    if (!isDue || goodSince === undefined || inactiveSince !== undefined) {
      this.#overdue.delete(row.id);
      return;
    }
    const version = `${row.nextAt} ${row.attempts}`;
    const overdue = this.#overdue.get(row.id);
    if (overdue?.version !== version) this.#overdue.set(row.id, { since: this.#now, version });
    else if (this.#now > this.#latestStart(row.id, Math.max(overdue.since, restedAt(goodSince)))) {
      const late = ((this.#now - overdue.since) / 1000).toFixed(1);
      this.#watched.broken(`${row.id} has not started within ${late} s`);
    }
  }

  /**
   * Returns the latest start of an attempt to a healthy endpoint. With a hint, in a second; between processes an endpoint may
   * lie free until the next look. Without one, by the next look or read; behind the cursor, by the next full read.
   * After a fault (a crash, a lost commit, …) the lease must end, and a beat, a look and a read follow.
   */
  #latestStart(id: string, since: number): number {
    const { beatsPerLease, fullReadMs, lookMs, rereadMs } = ENGINE;
    const settled = this.#calmSince + POLICY.leaseMs * (1 + 3 / beatsPerLease) + lookMs + rereadMs;
    const knownAt = this.#knownAt.get(id) ?? 0;
    const bound = 1000 + (this.#watched.plan.processes > 1 ? lookMs + 500 : 0);
    if (knownAt < Infinity) return Math.max(since, settled, knownAt) + bound;
    return Math.max(since, settled) + bound + rereadMs + (this.#mayBeBehind ? fullReadMs : 0);
  }

  #checkShares(running: readonly Process[]): void {
    const { leases } = this.#watched.store;
    const counts = running.map(
      ({ id }) => [...leases.values()].filter((member) => nameOf(member) === id).length,
    );
    const fair = Math.ceil(
      counts.reduce((sum, count) => sum + count, 0) / Math.max(1, running.length),
    );
    const isFair =
      running.length < 2 || this.#now < this.#calmSince || Math.max(...counts) <= fair * 1.1;
    this.#unfairSince = isFair ? undefined : (this.#unfairSince ?? this.#now);
    if (this.#now > (this.#unfairSince ?? Infinity) + 60_000)
      this.#watched.broken(`processes have ${counts.join(" and ")} endpoints`);
  }

  isDone(): boolean {
    const { endpoints, store } = this.#watched;
    const waits = [...store.deliveries.values()].some(
      ({ key, state }) => state === "waiting" && endpoints.get(key)?.inactiveSince === undefined,
    );
    return !waits && this.#open.size === 0;
  }
}

/** The process of a member, which takes another name when it has lost its leases. */
const nameOf = (member: string): string => member.split("~")[0] ?? member;

/** When an endpoint has had the longest rest since its last failure, and some time to recover its pace. */
const restedAt = (goodSince: number): number =>
  goodSince === 0 ? 0 : goodSince + ENGINE.longestRestMs + 10_000;
