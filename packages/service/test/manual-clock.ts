import { systemClock, type Clock } from "../src/clock.ts";

/** Wall time that is frozen until a test moves it. Monotonic time passes and is moved with it, or only moved if `isStill`. */
export class ManualClock implements Clock {
  readonly #start: number;
  readonly #isStill: boolean;
  #stepped = 0;
  #advanced = 0;
  readonly #sleepers = new Set<() => void>();
  /**
   * @param start ISO 8601 in UTC, or milliseconds since 1970.
   * @param options `isStill`: monotonic time passes by `advance` only. Default false.
   */
  constructor(start: string | number, { isStill = false } = {}) {
    this.#isStill = isStill;
    this.#start = typeof start === "number" ? start : Date.parse(start);
  }
  now(): number {
    return this.#start + this.#advanced + this.#stepped;
  }
  elapsed(): number {
    return this.#advanced + (this.#isStill ? 0 : systemClock.elapsed());
  }
  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const until = this.elapsed() + ms;
    const over = new AbortController();
    const wake = (): void => over.abort();
    const look = (): void => (this.elapsed() >= until ? wake() : undefined);
    this.#sleepers.add(look);
    signal?.addEventListener("abort", wake);
    if (signal?.aborted === true) wake();
    await systemClock.sleep(ms, over.signal);
    this.#sleepers.delete(look);
    signal?.removeEventListener("abort", wake);
  }
  /** Steps wall time only. */
  step(milliseconds: number): void {
    this.#stepped += milliseconds;
  }
  /** Lets both clocks pass, and ends the sleeps that are over by then. */
  advance(milliseconds: number): void {
    this.#advanced += milliseconds;
    for (const look of this.#sleepers) look();
  }
}
