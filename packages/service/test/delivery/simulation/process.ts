import { seeded, type Random } from "../../../../../test/fuzz/random.ts";
import { DueClock, type Clock } from "../../../src/clock.ts";
import type { DeliveryEngine } from "../../../src/delivery/deliver.ts";
import type {
  Answer,
  DeliveryStore,
  EngineOptions,
  PostRequest,
  Transport,
} from "../../../src/delivery/types.ts";
import { StoreUnavailableError } from "../../../src/store/driver.ts";
import { POLICY, type StoreFault } from "./plan.ts";
import type { Simulation } from "./simulation.ts";

export type EngineClass = new (options: EngineOptions) => DeliveryEngine;

/** One POST, as its endpoint sees it. */
export interface Post {
  readonly process: Process;
  readonly id: string;
  readonly answer: Answer;
  /** Milliseconds until the answer. */
  readonly takes: number;
}

/** A process from its start to its crash or stop, with an engine whose ports the world disturbs. */
export class Process {
  /** Unique name of this life. */
  readonly id: string;
  readonly engine: DeliveryEngine;
  readonly dueClock: DueClock;
  readonly faults: StoreFault[] = [];
  /** `stopping` until `stop` has resolved. */
  state: "runs" | "stopping" | "dead" = "runs";
  standsUntil = 0;
  awayUntil = 0;
  /** True if it ever stood still: what it does afterwards may be too late. */
  stoodStill = false;
  /** Calls left until the crash, and whether the last one is sent. */
  crashAt: { calls: number; readonly isSent: boolean } | undefined;
  readonly #world: Simulation;
  readonly #random: Random;
  readonly #open = new Map<Post, (answer: Answer) => void>();

  constructor(
    { number, life }: { readonly number: number; readonly life: number },
    random: Random,
    world: Simulation,
    Engine: EngineClass,
  ) {
    this.id = `p${number}.${life}`;
    this.#world = world;
    this.#random = seeded(random.int(2 ** 31));
    const clock: Clock = {
      now: () => world.wallNow(number),
      elapsed: () => world.timeline.now + number * 10_000,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    this.dueClock = new DueClock(clock);
    this.engine = new Engine({
      store: this.#store(),
      clock,
      dueClock: this.dueClock,
      random: this.#random,
      transport: this.#transport(),
      policy: POLICY,
      sign: () => ({}),
      vault: { open: () => "" },
      endpoints: { allowLoopback: false },
      userAgent: "",
      observer: {
        storeFailed: (error) => world.failed(this, error),
        attemptBroke: (error) => world.failed(this, error),
      },
    });
    this.engine.start();
  }

  get isDead(): boolean {
    return this.state === "dead";
  }

  die(): void {
    this.state = "dead";
    // The machine closes its connections.
    for (const post of this.#open.keys()) this.#world.ended(post);
    this.#open.clear();
    this.#world.note(() => `${this.id} dies`);
    this.#world.disturb(this.#world.timeline.now);
  }

  /** Runs what reaches this process, once it does not stand still; never if it is dead. */
  reach(run: () => void): void {
    const { timeline } = this.#world;
    if (this.isDead) return;
    if (timeline.now < this.standsUntil)
      timeline.after(this.standsUntil - timeline.now, () => this.reach(run));
    else run();
  }

  /** Counts a call of a port. @returns False if the process died before it. */
  #calls(): boolean {
    const crash = this.crashAt;
    if (this.isDead) return false;
    if (crash === undefined || (crash.calls -= 1) >= 0) return true;
    // After the call has been sent, or instead of it.
    if (crash.isSent) this.#world.timeline.after(0, () => this.isDead || this.die());
    else this.die();
    return crash.isSent;
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (!this.#calls()) return;
      if (signal?.aborted === true) return resolve();
      const cancel = this.#world.timeline.after(ms, () => this.reach(resolve));
      signal?.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  #store(): DeliveryStore {
    const { store } = this.#world;
    return {
      keepTime: (now) => this.#ask("keepTime", () => store.keepTime(now)),
      findDue: (times) => this.#ask("findDue", () => store.findDue(times)),
      findDueOf: () => store.findDueOf(),
      claim: (requests, times) => this.#ask("claim", () => store.claim(requests, times)),
      release: (claims) => this.#ask("release", () => store.release(claims)),
      record: (completions, policy) => this.#ask("record", () => store.record(completions, policy)),
    };
  }

  /** Sends a request to the store, which is some milliseconds away. */
  #ask<T>(method: keyof DeliveryStore, request: () => Promise<T>): Promise<T> {
    const { timeline } = this.#world;
    return new Promise((resolve, reject) => {
      if (!this.#calls()) return;
      const { fault, ms } = this.#takeFault(method) ?? { fault: undefined, ms: 0 };
      const there = 1 + this.#random.int(3) + (fault === "later" ? ms : 0);
      const back = 1 + this.#random.int(3) + (fault === "late" ? ms : 0);
      timeline.after(there, () => {
        const result = fault === "lost" ? undefined : request();
        this.#world.note(() => `${this.id} ${method}${fault === undefined ? "" : ` (${fault})`}`);
        timeline.after(back, () =>
          this.reach(() => {
            const outcome = fault === "repeated" ? "unknown" : "undone";
            if (result === undefined || fault === "repeated")
              reject(new StoreUnavailableError(`${method} is ${outcome}`, { outcome }));
            else resolve(result);
          }),
        );
      });
    });
  }

  #takeFault(method: keyof DeliveryStore): Pick<StoreFault, "fault" | "ms"> | undefined {
    const { now } = this.#world.timeline;
    if (this.awayUntil > now) return { fault: "lost", ms: 0 };
    const index = this.faults.findIndex((one) => one.method === method || one.method === "any");
    const [found] = index < 0 ? [] : this.faults.splice(index, 1);
    if (found !== undefined) this.#world.disturb(now + found.ms);
    return found;
  }

  #transport(): Transport {
    return {
      post: (request) => this.#post(request),
      close: async () => {
        for (const [post, answer] of this.#open) {
          this.#world.ended(post);
          answer({ kind: "unanswered", code: "CS_ATTEMPT_CONNECTION_LOST" });
        }
        this.#open.clear();
      },
    };
  }

  #post({ eventId }: PostRequest): Promise<Answer> {
    const { timeline } = this.#world;
    return new Promise((resolve) => {
      if (!this.#calls()) return;
      const post = this.#world.began(this, eventId);
      this.#open.set(post, resolve);
      timeline.after(post.takes, () => {
        if (!this.#open.delete(post)) return;
        this.#world.ended(post);
        this.reach(() => resolve(post.answer));
      });
    });
  }
}
