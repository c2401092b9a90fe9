/** Random choices that a seed repeats. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up to, but not including, 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `low` to `high`. */
  from(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(first: T, ...others: readonly T[]): T {
    return others[this.from(0, others.length) - 1] ?? first;
  }
}

interface Event {
  readonly at: number;
  readonly run: () => void;
  isOff: boolean;
  /** True if no promise hangs on it: nothing else runs because of it. */
  readonly isSilent: boolean;
}

/** Virtual time, in milliseconds. It passes only from one event to the next one. */
export class Timeline {
  now = 0;
  /** The next event is last. */
  readonly #events: Event[] = [];

  /** @returns Cancels the event. */
  after(ms: number, run: () => void, { isSilent = false } = {}): () => void {
    const event = { at: this.now + ms, run, isSilent, isOff: false };
    let [low, high] = [0, this.#events.length];
    // Inserted before all entries of the same or an earlier time, which run first.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.at ?? 0) > event.at) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
    return () => {
      event.isOff = true;
    };
  }

  /** Runs the events in their order, each with all that its promises cause, until `isOver`. */
  async run(isOver: () => boolean): Promise<void> {
    for (;;) {
      const event = this.#events.pop();
      if (event === undefined) return;
      if (event.isOff) continue;
      this.now = event.at;
      event.run();
      // oxlint-disable-next-line no-await-in-loop -- one event after the other
      if (!event.isSilent) await new Promise((resolve) => setImmediate(resolve));
      if (isOver()) return;
    }
  }
}
