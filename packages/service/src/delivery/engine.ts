import type { DueClock } from "../clock.ts";
import { unitInterval, type Random } from "../random.ts";
import { makeAttempt, type AttemptPorts } from "./attempt.ts";
import { ENGINE } from "./constants.ts";
import { decideNext, isGone, paceAfter } from "./decisions.ts";
import type { Held } from "./held.ts";
import { InFlight } from "./in-flight.ts";
import { Leases } from "./leases.ts";
import { refuseUnsound, type DeliveryPolicy } from "./policy.ts";
import { Queues } from "./queues.ts";
import { Recorder } from "./recorder.ts";
import type {
  Attempt,
  Completion,
  DeliveryObserver,
  DeliveryStore,
  DueDelivery,
  Work,
} from "./types.ts";

export interface EngineOptions extends AttemptPorts {
  /** Unique name of this process among those that share the database. */
  readonly id: string;
  readonly store: DeliveryStore;
  readonly random: Random;
  /** The clock that due times of live deliveries compare with. */
  readonly dueClock: DueClock;
  readonly policy: DeliveryPolicy;
  readonly observer?: DeliveryObserver;
}

/**
 * Delivers events. The process leases endpoints, reads the queue of each, attempts what is due within its limits, and
 * records the attempts in groups.
 *
 * At least once: an attempt is recorded after it is made, so a crash in between repeats it. No attempt starts whose
 * deadline lies beyond the lease: two processes attempt a delivery at once only if one of them stood still in
 * between, and only one of the two attempts is recorded.
 */
export class DeliveryEngine {
  readonly #options: EngineOptions;
  readonly #observer: DeliveryObserver;
  readonly #leases: Leases;
  readonly #queues: Queues;
  readonly #inFlight: InFlight;
  readonly #recorder: Recorder;
  /** Endpoints with new deliveries, and from which due time on. */
  readonly #hints = new Map<string, number>();
  /** Namespaces' clocks that `drain` waits for: the loop leases their endpoints and resolves the promise. */
  readonly #clocks = new Map<string, PromiseWithResolvers<void>>();
  #loop: Promise<void> | undefined;
  /** Monotonic time until which the loop sleeps unless `#wake` resolves; `-Infinity` while it does not sleep. */
  #sleepsUntil = -Infinity;
  #wake = Promise.withResolvers<void>();
  /** Resolves after the next step of any delivery, for those who wait for one. */
  #change: PromiseWithResolvers<void> | undefined;
  readonly #stopping = new AbortController();
  #stopped: Promise<void> | undefined;

  /** @throws {TypeError} The lease is too short for the deadline, or a concurrency is below 1. */
  constructor(options: EngineOptions) {
    const { id, store, clock, policy } = options;
    refuseUnsound(policy);
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#leases = new Leases(id, options, policy, this.#observer);
    this.#inFlight = new InFlight(policy);
    this.#queues = new Queues({ ...options, inFlight: this.#inFlight }, policy);
    this.#recorder = new Recorder({
      store,
      clock,
      policy,
      observer: this.#observer,
      isMoreToCome: () => this.#inFlight.total > 0 && !this.#isStopping,
      recorded: (group, done) => this.#recorded(group, done),
    });
  }

  /** Attempts in flight. */
  get inFlight(): number {
    return this.#inFlight.total;
  }

  /** Begins to deliver: what waited while no process ran, and what becomes due. Idempotent. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Reports that something may be due. Returns at once. A lost hint costs up to `fullReadMs`. */
  onWork(work: Work): void {
    if (work === "anything") {
      this.#leases.lookSoon();
      for (const held of this.#queues.values()) this.#queues.readFromBeginning(held);
    } else
      for (const { key, at } of work)
        this.#hints.set(key, Math.min(at, this.#hints.get(key) ?? Infinity));
    this.#wake.resolve();
  }

  /**
   * Delivers until nothing of a namespace's clock is due and none of its deliveries is in flight.
   *
   * @returns `false` if the engine was stopped before.
   * @throws {TypeError} The engine was not started.
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
   */
  async drain(clockId: string): Promise<boolean> {
    if (this.#loop === undefined) throw new TypeError("the delivery engine was not started");
    while (!this.#isStopping) {
      const before = this.#queues.found(clockId);
      const taken = this.#clocks.get(clockId) ?? Promise.withResolvers<void>();
      this.#clocks.set(clockId, taken);
      this.#wake.resolve();
      await taken.promise;
      const ofClock = [...this.#queues.values()].filter(
        ({ endpoint }) => endpoint.clockId === clockId,
      );
      for (const held of ofClock) this.#queues.readFromBeginning(held);
      this.#wake.resolve();
      while (ofClock.some((held) => this.#queues.isBusy(held)) && !this.#isStopping)
        await this.#nextChange();
      // A last look at the whole queue found nothing more.
      if (this.#queues.found(clockId) === before) return !this.#isStopping;
    }
    return false;
  }

  /**
   * Starts no more attempts, waits for those in flight, and gives the leases back. An attempt that is cut short may
   * have arrived; it is not recorded and is made again. Idempotent.
   *
   * @param options `graceMs`: how long to wait, in milliseconds. Default 10 000.
   */
  stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#end(graceMs);
    return this.#stopped;
  }

  async #end(graceMs: number): Promise<void> {
    const { clock, transport } = this.#options;
    this.#stopping.abort();
    this.#wake.resolve();
    this.#changed();
    for (const { resolve } of this.#clocks.values()) resolve();
    const enough = new AbortController();
    await Promise.race([this.#finished(), clock.sleep(graceMs, enough.signal)]);
    enough.abort();
    this.#recorder.abandon();
    await transport.close();
    // If this fails, the leases end by themselves.
    await this.#leases.end().catch((error: unknown) => this.#observer.failed?.(error));
  }

  /** Resolves when the loop has ended and every attempt is recorded. */
  async #finished(): Promise<void> {
    await this.#loop;
    while (this.#inFlight.total > 0 || this.#recorder.size > 0) await this.#nextChange();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#isStopping) {
      this.#wake = Promise.withResolvers();
      this.#sleepsUntil = -Infinity;
      try {
        // Without its leases the process takes part anew before it takes any endpoint.
        if (!(await this.#keepLeases())) continue;
        await this.#takeEndpoints();
        await this.#queues.read();
        await this.#leases.release(this.#queues.takeLeaving());
        this.#queues.sweep();
      } catch (error) {
        this.#observer.failed?.(error);
        for (const { reject } of this.#clocks.values()) reject(error);
        this.#clocks.clear();
        this.#leases.doubt();
        // Nor do hints end this wait: the store is not there.
        await clock.sleep(ENGINE.storeRetryMs, this.#stopping.signal);
        continue;
      }
      this.#goOn();
      this.#sleepsUntil = Math.min(this.#queues.dueAt, this.#leases.dueAt);
      const enough = new AbortController();
      const ms = Math.max(0, this.#sleepsUntil - clock.elapsed());
      await Promise.race([this.#wake.promise, clock.sleep(ms, enough.signal)]);
      enough.abort();
    }
  }

  /** @returns False if all leases are lost. */
  async #keepLeases(): Promise<boolean> {
    let surplus = await this.#leases.keep(this.#queues.size);
    for (const held of this.#queues.values()) {
      if (surplus === "lost") this.#queues.forget(held);
      else if (surplus > 0 && held.isLive) {
        this.#queues.leave(held);
        surplus -= 1;
      } else if (surplus <= 0) break;
    }
    return surplus !== "lost";
  }

  async #takeEndpoints(): Promise<void> {
    const hints = [...this.#hints];
    this.#hints.clear();
    const unknown: string[] = [];
    for (const [key, at] of hints) {
      const held = this.#queues.get(key);
      if (held === undefined) unknown.push(key);
      else {
        this.#queues.stay(held);
        this.#queues.notice(held, at);
      }
    }
    const named = unknown.length === 0 ? [] : await this.#leases.takeNamed(unknown);
    for (const endpoint of [...named, ...(await this.#leases.look())]) this.#queues.hold(endpoint);
    for (const [clockId, { resolve }] of this.#clocks) {
      for (const endpoint of await this.#leases.takeOfClock(clockId)) this.#queues.hold(endpoint);
      this.#clocks.delete(clockId);
      resolve();
    }
  }

  /** Starts attempts while there is room for them, and wakes the loop if there is something to do before its time. */
  #goOn(): void {
    const now = this.#options.clock.elapsed();
    const mayStart = !this.#isStopping && this.#leases.covers(now);
    const room = mayStart ? ENGINE.unrecorded - this.#recorder.size : 0;
    for (const [held, delivery] of this.#queues.ready.take(now, room))
      void this.#attempt(held, delivery, now);
    if (this.#queues.dueAt < this.#sleepsUntil) this.#wake.resolve();
    this.#changed();
  }

  async #attempt(held: Held, delivery: DueDelivery, now: number): Promise<void> {
    held.inFlight += 1;
    this.#inFlight.began(held);
    try {
      const attempt = await makeAttempt(
        { endpoint: held.endpoint, target: held.target, delivery },
        this.#options,
      );
      this.#ended(held, attempt);
    } catch (error) {
      // A fault of this program. The delivery stays due, but not at once.
      this.#observer.failed?.(error);
      held.pace = { ...held.pace, restsUntil: now + ENGINE.longestRestMs };
      this.#queues.recorded(held, delivery.id);
      this.#queues.notice(held, delivery.nextAt);
    } finally {
      held.inFlight -= 1;
      this.#inFlight.ended(held);
      this.#queues.offer(held);
      this.#goOn();
    }
  }

  /** Decides what becomes of the delivery, and has it recorded. */
  #ended(held: Held, attempt: Attempt): void {
    const { clock, policy, random } = this.#options;
    held.usedAt = clock.elapsed();
    held.lastMs = attempt.durationMs;
    held.pace = paceAfter(held.pace, attempt.answer, held.usedAt, policy);
    const at = this.#queues.now(held);
    const next = decideNext(attempt, { now: at, random: () => unitInterval(random) }, policy);
    this.#recorder.add({ attempt, ...next, isGone: isGone(attempt.answer, policy), at });
  }

  #recorded(group: readonly Completion[], done: readonly Completion[]): void {
    const byId = new Map(done.map((one) => [one.attempt.delivery.id, one]));
    for (const { attempt } of group) {
      const { id, nextAt } = attempt.delivery;
      const held = this.#queues.get(attempt.endpoint.key);
      if (held === undefined) continue;
      this.#queues.recorded(held, id);
      const written = byId.get(id);
      // If the store has kept something else, the queue says what.
      const next = written === undefined ? nextAt : written.nextAt;
      if (next !== null) this.#queues.notice(held, next);
      if (written?.isGone !== true) continue;
      this.#queues.ready.drop(held);
      this.#queues.wantRead(held);
    }
    this.#goOn();
  }

  #changed(): void {
    this.#change?.resolve();
    this.#change = undefined;
  }

  #nextChange(): Promise<void> {
    this.#change ??= Promise.withResolvers();
    return this.#change.promise;
  }
}
