import { clearInterval, setInterval } from "node:timers";
import type { Context } from "./use-cases/context.ts";
import { moveDueRefunds } from "./use-cases/refunds.ts";

/** Milliseconds between two reports of failures, which each look would repeat. */
const REPORT_MS = 60_000;

interface DueRefundsOptions {
  readonly context: Context;
  /** Milliseconds between two looks. Default 250. */
  readonly pollMs?: number;
  /** Is called if the store did not answer, or a due refund cannot be moved; the next look tries again. */
  readonly failed: (error: unknown) => void;
}

/** Moves the refunds of wall time when their hold ends. */
export class DueRefunds {
  readonly #options: DueRefundsOptions;
  #reportAt = -Infinity;
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
    const { context, failed } = this.#options;
    const { clock } = context;
    try {
      await moveDueRefunds(context, { clockId: "live", now: clock.now() });
    } catch (error) {
      if (clock.elapsed() < this.#reportAt) return;
      this.#reportAt = clock.elapsed() + REPORT_MS;
      failed(error);
    }
  }
}
