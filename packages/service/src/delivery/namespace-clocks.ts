import type { Clock } from "../clock.ts";
import type { Driver } from "../store/driver.ts";
import { instantOf, moveClock } from "../store/tables/clocks.ts";
import { nextDeliveryAt } from "../store/tables/deliveries.ts";
import { nextDueAt } from "../store/tables/refunds.ts";
import type { Refusal } from "../use-cases/context.ts";

interface Ports {
  readonly driver: Driver;
  readonly clock: Clock;
  /** Delivers what is due of a clock; `false` if the engine was stopped. */
  readonly engine: { readonly drain: (clockId: string) => Promise<boolean> };
  /** Moves the refunds of a clock that are due by `now`. */
  readonly moveDueRefunds: (due: { clockId: string; now: number }) => Promise<unknown>;
}

/** `now` is what the clock shows. */
export type AdvanceOutcome =
  /** `instants` are those at which something was due, in milliseconds, in order. */
  | { readonly ok: true; readonly now: number; readonly instants: readonly number[] }
  /** The engine was stopped on the way: the same call continues from there. Or the clock would go back. */
  | (Refusal<"CLOCK_GOES_FORWARD" | "ENGINE_STOPPED"> & { readonly now: number });

/** Moves the clocks of namespaces, one move of a clock at a time. */
export class NamespaceClocks {
  readonly #ports: Ports;
  /** The last move of each clock, or what runs between two. */
  readonly #moves = new Map<string, Promise<unknown>>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * Moves a clock to `to`, from one instant at which something is due to the next. At each the clock stands still
   * until the due refunds have moved and the due deliveries have been attempted; only then it looks for the
   * next instant, since an attempt that fails makes one. If it throws, the same call continues where it ended.
   */
  async advance(clockId: string, to: number | ((now: number) => number)): Promise<AdvanceOutcome> {
    return this.betweenMoves(clockId, async () => {
      const from = await instantOf(this.#ports.driver, this.#ports.clock, clockId);
      return this.#advance({ clockId, from, to: typeof to === "number" ? to : to(from) });
    });
  }

  /** Runs something while no move of a clock is under way; later moves wait for it. */
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

  async #advance(move: { clockId: string; from: number; to: number }): Promise<AdvanceOutcome> {
    const { driver, engine, moveDueRefunds } = this.#ports;
    const { clockId, from, to } = move;
    if (to < from) return { ok: false, code: "CLOCK_GOES_FORWARD", now: from };
    const instants: number[] = [];
    let now = from;
    for (;;) {
      // Also at the present instant: what is in flight ends before time goes on.
      await moveDueRefunds({ clockId, now });
      if (!(await engine.drain(clockId))) return { ok: false, code: "ENGINE_STOPPED", now };
      const next = Math.min(
        (await nextDueAt(driver, { clockId, now })) ?? Infinity,
        (await nextDeliveryAt(driver, clockId)) ?? Infinity,
      );
      if (next > to) break;
      // Deliveries that became due in the meantime are due now: the clock never goes back to it.
      now = Math.max(now, next);
      instants.push(now);
      await this.#set(clockId, now);
    }
    await this.#set(clockId, to);
    return { ok: true, now: to, instants };
  }

  async #set(id: string, instant: number): Promise<void> {
    await this.#ports.driver.transaction((tx) => moveClock(tx, { id, instant }));
  }
}
