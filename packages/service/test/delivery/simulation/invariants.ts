import type { DecidedAttempt } from "../../../src/delivery/types.ts";
import type { ModelDelivery } from "./model-store.ts";
import { POLICY, type Behaviour } from "./plan.ts";
import type { Post } from "./process.ts";
import type { Simulation } from "./simulation.ts";

export interface EndpointState {
  readonly key: string;
  behaviour: Behaviour;
  /** Since when every attempt succeeds at once; `undefined` if they do not. */
  goodSince: number | undefined;
  /** Since when the subscription is paused or closed. */
  inactiveSince: number | undefined;
}

/** From a claim's transaction to its attempts. */
const STALE_MS = 20;
/** The longest time between two looks, after a slow one. */
const LONGEST_LOOK_MS = 5000;
/** A look finds what is due within a second, and another one later; its endpoint has few other attempts. */
const FOUND_MS = 2500;

/** The rules that hold in every world. Times are milliseconds. */
export class Invariants {
  readonly #watched: Simulation;
  readonly #open = new Set<Post>();
  /** When a delivery was last changed. */
  readonly #changedAt = new Map<string, number>();
  /** Since when a delivery of a good endpoint could be attempted. */
  readonly #overdue = new Map<string, { readonly since: number; readonly version: string }>();
  /** The processes' accepted deliveries, by both their ids. */
  readonly #accepted = new Set<string>();
  /** The end of the last fault. */
  #calmSince = -Infinity;

  readonly #hasStep: boolean;

  constructor(watched: Simulation) {
    this.#watched = watched;
    this.#hasStep = watched.plan.moves.some((move) => move.do === "step");
  }

  get #now(): number {
    return this.#watched.timeline.now;
  }

  disturb(until: number): void {
    this.#calmSince = Math.max(this.#calmSince, until);
  }

  /** Reports that deliveries were changed. */
  changed(isChanged: (row: ModelDelivery) => boolean): void {
    for (const row of [...this.#watched.store.deliveries.values()].filter(isChanged))
      this.#changedAt.set(row.id, this.#now);
  }

  completed(group: readonly DecidedAttempt[]): void {
    const ids = new Set(group.map(({ attempt }) => attempt.delivery.id));
    this.changed(({ id }) => ids.has(id));
    this.#watchActive();
    for (const one of group) {
      this.#checkStep(one);
      const { id } = one.attempt.delivery;
      const isAccepted = [...this.#accepted].some((own) => own.endsWith(` ${id}`));
      if (one.state === "delivered" && !isAccepted)
        this.#watched.broken(`${id} is recorded as delivered before it was`);
    }
  }

  #checkStep({ attempt, state, nextAt, at }: DecidedAttempt): void {
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
    if (this.#accepted.has(`${process.id} ${id}`) && !store.replayed.has(id))
      broken(`${id} is attempted again by the process that delivered it`);
    if (process.stoodStill) return;
    const others = [...this.#open].filter((one) => one !== post && !one.process.stoodStill);
    const own = others.filter((one) => one.process === process);
    // The database's clock was set forward: claims may end before their attempts.
    const mayRepeat = this.#now < this.#calmSince + POLICY.leaseMs && this.#hasStep;
    if ((mayRepeat ? own : others).some((one) => one.id === id))
      broken(`${id} is attempted twice at once`);
    const toEndpoint = own.filter((one) => store.deliveries.get(one.id)?.key === row.key);
    if (toEndpoint.length >= POLICY.concurrencyPerEndpoint)
      broken(`${row.key} has more attempts than its limit`);
    if (this.#now < this.#calmSince + STALE_MS) return;
    if (this.#now > (endpoint.inactiveSince ?? Infinity) + STALE_MS)
      broken(`${id} is attempted while its subscription is not active`);
    const isDue = row.nextAt !== null && row.nextAt <= process.dueClock.now();
    const isNews = this.#now < (this.#changedAt.get(id) ?? -Infinity) + STALE_MS;
    if (!isDue && !isNews && endpoint.inactiveSince === undefined)
      broken(`${id} is attempted although it is not due`);
  }

  ended(post: Post): void {
    this.#open.delete(post);
    const { answer, id, process } = post;
    if (answer.kind === "answered" && answer.status < 300)
      this.#accepted.add(`${process.id} ${id}`);
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
    else if (this.#now > this.#latestStart(Math.max(overdue.since, restedAt(goodSince)))) {
      const late = ((this.#now - overdue.since) / 1000).toFixed(1);
      this.#watched.broken(`${row.id} has not started within ${late} s`);
    }
  }

  /** Returns the latest start of an attempt to a healthy endpoint. After a fault claims must end first. */
  #latestStart(since: number): number {
    return Math.max(since, this.#calmSince + POLICY.leaseMs + LONGEST_LOOK_MS) + FOUND_MS;
  }

  isDone(): boolean {
    const { endpoints, store } = this.#watched;
    const waits = [...store.deliveries.values()].some(
      ({ key, state }) => state === "waiting" && endpoints.get(key)?.inactiveSince === undefined,
    );
    return !waits && this.#open.size === 0;
  }
}

/** When an endpoint has had the longest rest since its last failure, and some time to recover its pace. */
const restedAt = (goodSince: number): number => (goodSince === 0 ? 0 : goodSince + 70_000);
