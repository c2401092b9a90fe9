/**
 * The writers of one file in one process take turns: SQLite has a single writer at a time, and a call that
 * finds it taken waits inside SQLite, where its thread can do nothing else.
 */
export class WriterTurns {
  /** The last turn of this thread that was asked for; never rejects. */
  #own: Promise<unknown> = Promise.resolve();
  /** Turns of the other thread since then; the two sides come in the order in which they asked. */
  readonly #aside = new Set<Promise<unknown>>();

  /** A turn of this thread: it waits for all that asked before. */
  own<T>(run: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#own, ...this.#aside]).then(run);
    this.#own = Promise.allSettled([turn]);
    return turn;
  }

  /** A turn of the other thread, which puts its own calls in order: it waits for this thread's alone. */
  aside<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#own.then(run);
    this.#aside.add(turn);
    const ended = (): void => void this.#aside.delete(turn);
    turn.then(ended, ended);
    return turn;
  }
}
