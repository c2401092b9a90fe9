import type { LogFields, Logger } from "./http/log.ts";

const MINUTE_MS = 60_000;

/** Logs what fails again and again: one line for each kind and minute, with the failures since the last one. */
export class FailureLog {
  readonly #logger: Logger;
  readonly #elapsed: () => number;
  readonly #kinds = new Map<string, { at: number; unreported: number }>();

  /** @param elapsed Monotonic time in milliseconds. */
  constructor(logger: Logger, elapsed: () => number) {
    this.#logger = logger;
    this.#elapsed = elapsed;
  }

  /** @param kind One of few: each is remembered. */
  report(kind: string, fields: LogFields, message: string): void {
    const now = this.#elapsed();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.at < MINUTE_MS) {
      known.unreported += 1;
      return;
    }
    this.#logger.error({ ...fields, count: (known?.unreported ?? 0) + 1 }, message);
    this.#kinds.set(kind, { at: now, unreported: 0 });
  }
}
