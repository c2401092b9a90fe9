import { clearInterval, setInterval } from "node:timers";
import type { Clock } from "./clock.ts";
import type { Driver } from "./store/driver.ts";
import { purgeEvents, type PurgeRange } from "./store/tables/retention.ts";
import { deleteExpiredTokens } from "./store/tables/tokens.ts";

/** Tokens of one transaction: bounds how long calls wait behind it. */
const BATCH = 500;
/** Events of one transaction. */
const EVENTS = 50;
/** Pause after a batch of events: so many times what the batch took, and at least so many milliseconds. */
const PAUSE = { times: 9, leastMs: 20 };

export interface HousekeepingOptions {
  readonly driver: Driver;
  readonly clock: Clock;
  /** Age in milliseconds from which on events are deleted, once their deliveries are finished. Default: never. */
  readonly retentionMs?: number | undefined;
  /** Milliseconds between two rounds. Default an hour. */
  readonly everyMs?: number;
  /** Told when a round failed; the next one does its work. */
  readonly failed: (error: unknown) => void;
}

/**
 * Deletes what nobody needs any more: expired tokens, and old events with their deliveries and attempts. Instances do
 * not disturb each other.
 */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#begin(), this.#options.everyMs ?? 3_600_000);
    this.#begin();
  }

  /** Waits for the batch under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
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
    const { driver, clock, retentionMs } = this.#options;
    let deleted = BATCH;
    while (deleted === BATCH && !this.#isStopping) {
      const due = { now: clock.now(), limit: BATCH };
      deleted = await driver.transaction((tx) => deleteExpiredTokens(tx, due));
    }
    if (retentionMs !== undefined) await this.#purge(clock.now() - retentionMs);
  }

  /** Merchants with a clock of their own are those of a sandbox, which is reset. */
  async #purge(before: number): Promise<void> {
    const { driver, clock } = this.#options;
    const merchants = await driver.query<{ id: string }>(
      "SELECT id FROM merchants WHERE clock_id = 'live' ORDER BY id",
    );
    for (const { id: merchantId } of merchants) {
      let after: number | undefined = 0;
      while (after !== undefined && !this.#isStopping) {
        const range: PurgeRange = { merchantId, after, before, limit: EVENTS };
        const begun = clock.elapsed();
        const purged = await driver.transaction((tx) => purgeEvents(tx, range), {
          isDurable: false,
        });
        after = purged.after;
        if (after !== undefined) await this.#pause(clock.elapsed() - begun);
      }
    }
  }

  /** Leaves the database to callers most of the time. */
  async #pause(tookMs: number): Promise<void> {
    const ms = Math.max(PAUSE.leastMs, PAUSE.times * tookMs);
    await this.#options.clock.sleep(ms, this.#stopping.signal);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }
}
