import type { Clock } from "../clock.ts";
import { ENGINE } from "./constants.ts";
import type { DeliveryPolicy } from "./policy.ts";
import type { Completion, DeliveryObserver, DeliveryStore } from "./types.ts";

interface Parts {
  readonly store: Pick<DeliveryStore, "complete">;
  readonly clock: Clock;
  readonly policy: Pick<DeliveryPolicy, "pause">;
  readonly observer: DeliveryObserver;
  /** True if attempts are in flight, for which a small group may wait. */
  readonly isMoreToCome: () => boolean;
  /** A group is recorded; `done` is what the store has written of it. */
  readonly recorded: (group: readonly Completion[], done: readonly Completion[]) => void;
}

/**
 * Records attempts in groups: those that end while one transaction is written share the next one. What the store does
 * not take is written again, until it does or `abandon` is called.
 */
export class Recorder {
  readonly #parts: Parts;
  readonly #waiting: Completion[] = [];
  #isRunning = false;
  #isAbandoned = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Attempts that are not recorded yet. */
  get size(): number {
    return this.#waiting.length;
  }

  add(completion: Completion): void {
    if (this.#isAbandoned) return;
    this.#waiting.push(completion);
    if (!this.#isRunning) void this.#run();
  }

  /** Gives up what is not recorded: those attempts will be made again. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { clock, isMoreToCome, observer, policy, recorded, store } = this.#parts;
    while (this.#waiting.length > 0 && !this.#isAbandoned) {
      if (this.#waiting.length < ENGINE.enough && isMoreToCome())
        await clock.sleep(ENGINE.groupWaitMs);
      const group = this.#waiting.slice(0, ENGINE.group);
      try {
        const { completed, paused } = await store.complete(group, policy);
        this.#waiting.splice(0, group.length);
        for (const one of completed) observer.attempted?.(one);
        for (const key of paused) observer.paused?.(key);
        recorded(group, completed);
      } catch (error) {
        observer.failed?.(error);
        await clock.sleep(ENGINE.storeRetryMs);
      }
    }
    this.#isRunning = false;
  }
}
