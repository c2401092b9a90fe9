import { clearInterval, setInterval } from "node:timers";
import { nextDueAt } from "./store/tables/refunds.ts";
import type { Context } from "./use-cases/context.ts";
import { moveDueRefunds, type PassedOverRefund } from "./use-cases/refunds.ts";

/** Time after which a refund that could not be moved is tried, and reported, again; in milliseconds. */
const RETRY_MS = 60_000;

export interface DueRefundsOptions {
  readonly context: Context;
  /** Milliseconds between two looks. Default 250. */
  readonly pollMs?: number;
  readonly observer?: {
    /** Is called with a due refund that cannot be moved. The others move. */
    passedOver?(refund: PassedOverRefund): void;
    /** Is called if the store did not answer; the next look tries again. */
    failed?(error: unknown): void;
  };
}

/** Moves the refunds of wall time when their hold ends. */
export class DueRefunds {
  readonly #options: DueRefundsOptions;
  /** Monotonic time until which refunds that could not be moved are not tried again. */
  readonly #passedOver = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;

  constructor(options: DueRefundsOptions) {
    this.#options = options;
  }

  start(): void {
    const look = (): void => {
      this.#look ??= this.#move().finally(() => {
        this.#look = undefined;
      });
    };
    this.#timer ??= setInterval(look, this.#options.pollMs ?? 250);
    look();
  }

  /** Waits for the look under way. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#look;
  }

  async #move(): Promise<void> {
    const { context, observer } = this.#options;
    const { driver, clock } = context;
    try {
      for (const [id, until] of this.#passedOver)
        if (until <= clock.elapsed()) this.#passedOver.delete(id);
      const now = clock.now();
      const except = new Set(this.#passedOver.keys());
      const due = await nextDueAt(driver, { clockId: "live", except });
      // Asked first: moving begins a transaction, and mostly there is nothing to move.
      if (due === undefined || due > now) return;
      const { passedOver } = await moveDueRefunds(context, { clockId: "live", now });
      for (const refund of passedOver) {
        if (!this.#passedOver.has(refund.id)) observer?.passedOver?.(refund);
        this.#passedOver.set(refund.id, clock.elapsed() + RETRY_MS);
      }
    } catch (error) {
      observer?.failed?.(error);
    }
  }
}
