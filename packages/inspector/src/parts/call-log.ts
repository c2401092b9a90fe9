import type { MadeCall } from "../remote/remote.ts";

/** Calls that are kept. */
const KEPT = 50;

/** A call that some control is about to make. */
export interface PointedCall {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

export interface KnownCalls {
  /** The calls that the page has made to change something, the newest first. */
  readonly made: readonly MadeCall[];
  /** The call of the control that the pointer or the focus was on last; `undefined` since the last call. */
  readonly pointed: PointedCall | undefined;
}

/** The calls that the page makes to change something; an external store. */
export class CallLog {
  #known: KnownCalls = { made: [], pointed: undefined };
  readonly #listeners = new Set<() => void>();

  readonly add = (call: MadeCall): void => {
    this.#set({ made: [call, ...this.#known.made].slice(0, KEPT), pointed: undefined });
  };

  readonly point = (pointed: PointedCall): void => this.#set({ ...this.#known, pointed });

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): KnownCalls => this.#known;

  #set(known: KnownCalls): void {
    this.#known = known;
    for (const listener of this.#listeners) listener();
  }
}
