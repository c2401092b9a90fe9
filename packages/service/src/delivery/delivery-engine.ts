import { clearInterval, setImmediate, setInterval } from "node:timers";
import { instantOf } from "../store/tables/clocks.ts";
import { waitingClocks } from "../store/operations/deliveries/waiting-clocks.ts";
import { nextDueAt } from "../store/tables/refunds.ts";
import { advanceClock, type AdvanceOutcome, type AdvancePorts } from "./advance-clock.ts";
import { Deliverer, type DelivererPorts } from "./deliver.ts";
import type { DeliveryObserver } from "./observer.ts";
import { PassedOver } from "./passed-over.ts";
import type { DeliveryPolicy } from "./policy.ts";

export interface DeliveryEngineOptions extends DelivererPorts {
  readonly policy: DeliveryPolicy;
  readonly moveDueRefunds: AdvancePorts["moveDueRefunds"];
  readonly observer?: DeliveryObserver;
  /** Milliseconds between two looks at what is due; a hint is followed at once. Default 250. */
  readonly pollMs?: number;
}

/** Delivers events and moves refunds when their time comes. */
export interface DeliveryEngine {
  /** Begins to deliver: what waited while no process ran, and what comes to be due. */
  start(): void;
  /** Says that something may have come to be due. Returns at once. */
  onWork(): void;
  /**
   * Moves a namespace's clock forward and carries out on the way what is due; see `advanceClock`.
   * Moves of one clock wait for each other.
   *
   * @param to Instant of that clock in milliseconds, or made of what it shows when its turn comes.
   * @throws {TypeError} `clockId` is `live`: real time moves by itself.
   * @throws {StoreUnavailableError} `CS_STORE_UNAVAILABLE`
   */
  advanceClock(clockId: string, to: number | ((now: number) => number)): Promise<AdvanceOutcome>;
  /** Runs something while no move of a clock is under way; moves asked for meanwhile wait for it. */
  betweenMoves<T>(clockId: string, run: () => Promise<T>): Promise<T>;
  /**
   * Claims nothing more, waits up to `graceMs` (default 10 000) milliseconds for what is under way
   * and gives the rest back. Idempotent.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

/** @throws {TypeError} The policy's lease or concurrency is out of bounds; see `Deliverer`. */
export function createDeliveryEngine(options: DeliveryEngineOptions): DeliveryEngine {
  return new Engine(options);
}

class Engine implements DeliveryEngine {
  readonly #options: DeliveryEngineOptions;
  readonly #deliverer: Deliverer;
  /** The last move of each clock, or what runs between two. */
  readonly #moves = new Map<string, Promise<unknown>>();
  readonly #passedOver: PassedOver;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #movingRefunds: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: DeliveryEngineOptions) {
    this.#options = options;
    this.#deliverer = new Deliverer(options, options.policy, options.observer);
    this.#passedOver = new PassedOver((refund) => options.observer?.passedOver?.(refund));
  }

  start(): void {
    if (this.#timer !== undefined || this.#stopping !== undefined) return;
    this.#timer = setInterval(() => this.#tick(), this.#options.pollMs ?? 250);
    this.#tick();
  }

  onWork(): void {
    // Without a timer nobody has said start, or somebody stop.
    if (this.#looking || this.#timer === undefined) return;
    this.#looking = true;
    // One turn later: the hints of this turn share one look.
    setImmediate(() => void this.#look());
  }

  async advanceClock(
    clockId: string,
    to: number | ((now: number) => number),
  ): Promise<AdvanceOutcome> {
    if (clockId === "live") throw new TypeError('the clock "live" is real time and not moved');
    const { driver, clock } = this.#options;
    const moveDueRefunds: AdvancePorts["moveDueRefunds"] = (due) => this.#moveDueRefunds(due);
    const ports = { driver, clock, moveDueRefunds, deliverer: this.#deliverer };
    return this.betweenMoves(clockId, async () => {
      const goal = typeof to === "number" ? to : to(await instantOf(driver, clock, clockId));
      return advanceClock({ clockId, to: goal }, ports);
    });
  }

  async betweenMoves<T>(clockId: string, run: () => Promise<T>): Promise<T> {
    const before = this.#moves.get(clockId) ?? Promise.resolve();
    const move = before.then(run);
    const settled = Promise.allSettled([move]);
    this.#moves.set(clockId, settled);
    try {
      return await move;
    } finally {
      if (this.#moves.get(clockId) === settled) this.#moves.delete(clockId);
    }
  }

  stop({ graceMs = 10_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopping ??= (async () => {
      await this.#movingRefunds;
      await this.#deliverer.stop({ graceMs });
    })();
    return this.#stopping;
  }

  #tick(): void {
    this.onWork();
    this.#movingRefunds ??= this.#moveLiveRefunds();
  }

  async #look(): Promise<void> {
    this.#looking = false;
    // Of real time there is mostly something: it does not wait for the question of which clocks there are.
    this.#deliverer.wake("live");
    try {
      for (const clockId of await waitingClocks(this.#options.driver)) {
        if (clockId !== "live") this.#deliverer.wake(clockId);
      }
    } catch (error) {
      if (this.#stopping === undefined) this.#options.observer?.failed?.(error);
    }
  }

  async #moveDueRefunds(due: { clockId: string; now: number }) {
    const moves = await this.#options.moveDueRefunds(due);
    this.#passedOver.add(moves.passedOver, this.#options.clock.now());
    return moves;
  }

  async #moveLiveRefunds(): Promise<void> {
    try {
      const now = this.#options.clock.now();
      const except = this.#passedOver.ids(now);
      const due = await nextDueAt(this.#options.driver, { clockId: "live", except });
      // Asked first: moving begins a transaction, and mostly there is nothing to move.
      if (due !== undefined && due <= now) await this.#moveDueRefunds({ clockId: "live", now });
    } catch (error) {
      this.#options.observer?.failed?.(error);
    } finally {
      this.#movingRefunds = undefined;
    }
  }
}
