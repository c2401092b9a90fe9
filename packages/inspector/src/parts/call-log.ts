import type { MadeCall } from "../remote/remote.ts";

/** Calls that are kept. */
const KEPT = 50;

/** The calls that the page has made to change something, the newest first; an external store. */
export class CallLog {
  #calls: readonly MadeCall[] = [];
  readonly #listeners = new Set<() => void>();

  readonly add = (call: MadeCall): void => {
    this.#calls = [call, ...this.#calls].slice(0, KEPT);
    for (const listener of this.#listeners) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): readonly MadeCall[] => this.#calls;
}
