import { ENGINE } from "../../../src/delivery/constants.ts";
import type { DeliveryPolicy } from "../../../src/delivery/policy.ts";
import type { Answer, Completion, DeliveryStore } from "../../../src/delivery/types.ts";
import type { ModelDelivery, ModelStore } from "./model-store.ts";
import type { Behaviour, Hint, Plan } from "./plan.ts";
import type { Post, Process } from "./process.ts";
import type { Timeline } from "./timeline.ts";

export interface EndpointState {
  readonly key: string;
  behaviour: Behaviour;
  /** True if every attempt succeeds at once, since `goodSince`. */
  isGood: boolean;
  goodSince: number;
  overloads: number;
  /** Since when the subscription is paused or closed. */
  inactiveSince: number | undefined;
  /** Processes that have met an overload, and until when they rest. */
  readonly overloadedBy: Map<string, number>;
}

interface Watched {
  readonly plan: Plan;
  readonly policy: DeliveryPolicy;
  readonly store: ModelStore;
  readonly timeline: Timeline;
  readonly endpoints: ReadonlyMap<string, EndpointState>;
  /** The latest wall time that any process has seen. */
  readonly latestNow: () => number;
  readonly running: () => readonly Process[];
  readonly broken: (rule: string) => void;
}

/** The rules that hold in every world. Times are milliseconds. */
export class Invariants {
  readonly #watched: Watched;
  readonly #posts = new Map<Answer, Post>();
  readonly #open = new Set<Post>();
  readonly #recorded = new Map<string, number>();
  /** Names under which processes have taken part. */
  readonly #joined = new Set<string>();
  readonly #beatAt = new Map<string, number>();
  /** When processes have learnt of a delivery; infinite without a hint. */
  readonly #knownAt = new Map<string, number>();
  readonly #changedAt = new Map<string, number>();
  /** Since when a delivery of a good endpoint could be attempted. */
  readonly #overdue = new Map<string, { readonly since: number; readonly version: string }>();
  readonly #mayBeBehind: boolean;
  #calmSince = -Infinity;
  #unfairSince: number | undefined;

  constructor(watched: Watched) {
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

  hinted(
    hint: Hint,
    { id, key }: { readonly id?: string | undefined; readonly key?: string | undefined },
  ): void {
    const isTold = typeof hint === "number";
    for (const row of this.#watched.store.deliveries.values()) {
      if (id === undefined ? row.key !== key : row.id !== id) continue;
      this.#knownAt.set(row.id, isTold ? this.#now + hint : Infinity);
      this.#changedAt.set(row.id, this.#now);
    }
  }

  watch(store: DeliveryStore): DeliveryStore {
    const { endpoints, policy, running, broken } = this.#watched;
    return {
      join: (id) => {
        this.#joined.add(id);
        return store.join(id);
      },
      beat: (beat) => {
        this.#beatAt.set(beat.id, this.#now);
        return store.beat(beat);
      },
      remove: ({ id, beat }) => {
        const owner = running().find((one) => one.id === nameOf(id));
        const age = this.#now - (this.#beatAt.get(id) ?? -Infinity);
        const isStored = beat !== undefined && this.#watched.store.members.get(id) === beat;
        if (isStored && owner !== undefined && age < policy.leaseMs)
          broken(`${id} is removed although it beats`);
        return store.remove({ id, ...(beat !== undefined && { beat }) });
      },
      take: (id, wanted) => {
        if (!this.#joined.has(id)) broken(`${id} takes endpoints before it takes part`);
        return store.take(id, wanted);
      },
      release: (id, keys) => {
        for (const key of keys) endpoints.get(key)?.overloadedBy.delete(nameOf(id));
        return store.release(id, keys);
      },
      read: (requests, bounds) => store.read(requests, bounds),
      complete: async (completions, { pause }) => {
        const group = await store.complete(completions, { pause });
        for (const one of group.completed) this.#complete(one);
        this.#watchActive();
        return group;
      },
    };
  }

  began(post: Post): void {
    const { broken, policy, store } = this.#watched;
    const { id, process } = post;
    const row = store.deliveries.get(id);
    const endpoint = this.#watched.endpoints.get(row?.key ?? "");
    if (row === undefined || endpoint === undefined) return broken(`delivery ${id} not found`);
    this.#posts.set(post.answer, post);
    this.#open.add(post);
    this.#overdue.delete(id);
    if (process.stoodStill) return;
    const others = [...this.#open].filter((one) => one !== post && !one.process.stoodStill);
    if (others.some((one) => one.id === id)) broken(`${id} is attempted twice at once`);
    const toEndpoint = others.filter((one) => store.deliveries.get(one.id)?.key === row.key);
    if (toEndpoint.length >= policy.concurrencyPerEndpoint)
      broken(`${row.key} has more attempts than its limit`);
    const holder = store.leases.get(row.key) ?? "";
    if (nameOf(holder) !== process.id || !store.members.has(holder))
      broken(`${process.id} posts to ${row.key} without its lease`);
    const staleMs = ENGINE.freshMs + 20;
    if (this.#now < this.#calmSince + staleMs) return;
    if ((endpoint.overloadedBy.get(process.id) ?? 0) > this.#now)
      broken(`${row.key} does not rest after an overload`);
    if (this.#now > (endpoint.inactiveSince ?? Infinity) + staleMs)
      broken(`${id} is attempted while its subscription is not active`);
    const isDue = row.nextAt !== null && row.nextAt <= process.dueClock.now();
    const isNews = this.#now < (this.#changedAt.get(id) ?? -Infinity) + staleMs;
    if (!isDue && !isNews && endpoint.inactiveSince === undefined)
      broken(`${id} is attempted although it is not due`);
  }

  ended(post: Post): void {
    this.#open.delete(post);
    const endpoint = this.#watched.endpoints.get(
      this.#watched.store.deliveries.get(post.id)?.key ?? "",
    );
    if (endpoint === undefined || post.answer.kind === "unanswered") return;
    const { status } = post.answer;
    const { overloadedBy } = endpoint;
    const { id } = post.process;
    if (status < 300) {
      // Those that rested with it start from now on.
      if (endpoint.overloads > 0) endpoint.goodSince = this.#now;
      endpoint.overloads = 0;
      overloadedBy.delete(id);
    } else if (status === 429 || status === 502) {
      endpoint.overloads += 1;
      if ((overloadedBy.get(id) ?? 0) <= this.#now)
        overloadedBy.set(id, this.#now + ENGINE.firstRestMs);
    }
  }

  #complete({ attempt, state, nextAt, at }: Completion): void {
    const { broken, policy, store } = this.#watched;
    const { id } = attempt.delivery;
    const { number } = attempt;
    const post = this.#posts.get(attempt.answer);
    if (post === undefined || this.#open.has(post))
      broken(`attempt ${number} of ${id} is recorded, but was not made`);
    this.#posts.delete(attempt.answer);
    if (number !== (this.#recorded.get(id) ?? 0) + 1)
      broken(
        `attempt ${number} of ${id} is recorded after ${this.#recorded.get(id) ?? 0} attempts`,
      );
    this.#recorded.set(id, number);
    this.#knownAt.set(id, this.#now);
    this.#changedAt.set(id, this.#now);
    const isSuccess = attempt.answer.kind === "answered" && attempt.answer.status < 300;
    if (isSuccess !== (state === "delivered")) broken(`${id} is ${state} after another answer`);
    const { steps, jitter, retryAfterFactor } = policy.schedule;
    const step = steps[number];
    if (state === "exhausted" && step !== undefined)
      broken(`${id} is exhausted after ${number} attempts`);
    if (state !== "waiting" || nextAt === null || (store.deliveries.get(id)?.replays ?? 0) > 0)
      return;
    const wait = nextAt - at;
    if (step === undefined || wait < step * (1 - jitter) - 1 || wait > step * retryAfterFactor + 1)
      broken(`${id} waits for ${wait} ms after attempt ${number}`);
  }

  /** Checks the process that has just stopped. */
  stopped(process: Process): void {
    if (process.faultedAt > this.#now - 60_000) return;
    if ([...this.#watched.store.members.keys()].some((id) => nameOf(id) === process.id))
      this.#watched.broken(`${process.id} has stopped and keeps its leases`);
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
    const endpoint = this.#watched.endpoints.get(row.key);
    const isStartable = endpoint?.isGood === true && endpoint.inactiveSince === undefined;
    if (!isStartable || row.nextAt === null || row.nextAt > dueNow) {
      this.#overdue.delete(row.id);
      return;
    }
    const version = `${row.nextAt} ${row.attempts}`;
    const overdue = this.#overdue.get(row.id);
    if (overdue?.version !== version) this.#overdue.set(row.id, { since: this.#now, version });
    else if (this.#now > this.#latestStart(row, endpoint, overdue.since)) {
      const late = ((this.#now - overdue.since) / 1000).toFixed(1);
      this.#watched.broken(`${row.id} has not started within ${late} s`);
    }
  }

  /**
   * Returns the latest start of an attempt to a healthy endpoint. With a hint, in a second; between processes an endpoint may
   * lie free until the next look. Without one, by the next look or read; behind the cursor, by the next full read.
   * After a fault (a crash, a lost commit, …) the lease must end, and a beat, a look and a read follow.
   */
  #latestStart({ id }: ModelDelivery, endpoint: EndpointState, since: number): number {
    const { plan, policy } = this.#watched;
    const settled =
      this.#calmSince +
      policy.leaseMs * (1 + 3 / ENGINE.beatsPerLease) +
      ENGINE.lookMs +
      ENGINE.rereadMs;
    const knownAt = this.#knownAt.get(id) ?? 0;
    let bound = 1000 + (plan.processes > 1 ? ENGINE.lookMs + 500 : 0);
    if (knownAt === Infinity)
      bound += this.#mayBeBehind ? ENGINE.fullReadMs + ENGINE.rereadMs : ENGINE.rereadMs;
    let from = Math.max(since, settled, knownAt === Infinity ? 0 : knownAt);
    if (endpoint.goodSince > 0) {
      const rest = Math.min(ENGINE.longestRestMs, ENGINE.firstRestMs * 2 ** endpoint.overloads);
      from = Math.max(from, endpoint.goodSince + rest + 10_000);
    }
    return from + bound;
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

  checkEnd(): void {
    const { broken, latestNow, policy, store } = this.#watched;
    const dueNow = latestNow();
    const longest = Math.max(...policy.schedule.steps) * policy.schedule.retryAfterFactor;
    for (const { id, nextAt, state } of store.deliveries.values())
      if (state === "waiting" && (nextAt ?? 0) > dueNow + longest)
        broken(`${id} is scheduled for too late`);
  }
}

/** The process of a member, which takes another name when it has lost its leases. */
const nameOf = (member: string): string => member.split("~")[0] ?? member;
