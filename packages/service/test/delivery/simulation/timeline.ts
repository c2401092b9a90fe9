interface Event {
  readonly at: number;
  readonly run: () => void;
  isOff: boolean;
}

/** Virtual time, in milliseconds. It passes only from one event to the next one. */
export class Timeline {
  now = 0;
  /** The next event is last. */
  readonly #events: Event[] = [];

  /** @returns Cancels the event. */
  after(ms: number, run: () => void): () => void {
    const event = { at: this.now + ms, run, isOff: false };
    // Inserted before all entries of the same or an earlier time, which run first.
    const place = this.#events.findIndex(({ at }) => at <= event.at);
    this.#events.splice(place < 0 ? this.#events.length : place, 0, event);
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
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver()) return;
    }
  }
}
