import { clearInterval, setInterval } from "node:timers";
import type { Clock } from "./clock.ts";
import type { Driver } from "./store/driver.ts";
import { deleteExpiredTokens } from "./store/tables/tokens.ts";

/** Tokens of one transaction: bounds how long calls wait behind it. */
const BATCH = 500;

export interface HousekeepingOptions {
  readonly driver: Driver;
  /** Real time. */
  readonly clock: Clock;
  /** Milliseconds between two rounds. Default an hour. */
  readonly everyMs?: number;
  /** Told when a round failed; the next one does its work. */
  readonly failed: (error: unknown) => void;
}

/** Takes out of the database what nobody needs any more: expired tokens. Instances do not disturb each other. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #stopped = false;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#begin(), this.#options.everyMs ?? 3_600_000);
    this.#begin();
  }

  /** Waits for the batch under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  #begin(): void {
    this.#round ??= this.#clean()
      .catch((error: unknown) => this.#options.failed(error))
      .finally(() => {
        this.#round = undefined;
      });
  }

  async #clean(): Promise<void> {
    const { driver, clock } = this.#options;
    let deleted = BATCH;
    while (deleted === BATCH && !this.#stopped) {
      const due = { now: clock.now(), limit: BATCH };
      deleted = await driver.transaction((tx) => deleteExpiredTokens(tx, due));
    }
  }
}
