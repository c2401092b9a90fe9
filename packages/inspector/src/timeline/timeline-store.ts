import type {
  DeliveryState,
  TimelinePage,
  TimelineRow,
  ToldDelivery,
  ToldEvent,
} from "../remote/shapes.ts";
import { Bodies } from "./bodies.ts";
import { subjectOf } from "./subject-of.ts";

/** Rows without payloads that are kept; the oldest go first. */
export const MAX_ROWS = 100_000;

export interface Row extends Omit<TimelineRow, "states"> {
  /** The state of each delivery, by subscription or by place. */
  readonly states: ReadonlyMap<string, DeliveryState>;
}

export interface Snapshot {
  /** The newest last. */
  readonly rows: readonly Row[];
  /** The cursor of older rows; `null` where there are none, `undefined` before the first answer. */
  readonly before: string | null | undefined;
  readonly isLive: boolean;
}

/**
 * The timeline of the page, as an external store. News of one animation frame are one change, so that a
 * burst of thousands is drawn once.
 */
export class TimelineStore {
  readonly bodies: Bodies = new Bodies();
  readonly #places = new Map<string, Row>();
  readonly #listeners = new Set<() => void>();
  readonly #schedule: (change: () => void) => void;
  #snapshot: Snapshot = { rows: [], before: undefined, isLive: false };
  #isScheduled = false;
  #before: string | null | undefined;
  #isLive = false;

  /** @param schedule Runs a change once, soon. Default: with the next frame, or 250 ms in a hidden page. */
  constructor(schedule: (change: () => void) => void = nextFrame) {
    this.#schedule = schedule;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Snapshot => this.#snapshot;

  has(id: string): boolean {
    return this.#places.has(id);
  }

  addEvent(event: ToldEvent): void {
    this.bodies.set(event.id, event.payload);
    const { id, type, category, timestamp } = event;
    const states = this.#places.get(id)?.states ?? new Map<string, DeliveryState>();
    this.#places.set(id, {
      id,
      type,
      category,
      timestamp,
      subject: subjectOf(event.payload),
      states,
    });
    this.#changed();
  }

  setDelivery({ eventId, subscriptionKey, state }: ToldDelivery): void {
    const row = this.#places.get(eventId);
    if (row === undefined) return;
    // States by place are those of a list; the first news by name takes the place of all.
    const named = [...row.states].filter(([key]) => key.startsWith("sub_"));
    const states = new Map(named).set(subscriptionKey, state);
    this.#places.set(eventId, { ...row, states });
    this.#changed();
  }

  /** Adds a page of the list below what is there. */
  addOlder({ events, before }: TimelinePage): void {
    const newer = [...this.#places];
    this.#places.clear();
    for (const row of events.toReversed()) this.#places.set(row.id, rowOf(row));
    for (const [id, row] of newer) this.#places.set(id, row);
    this.#before = before;
    this.#changed();
  }

  /** Forgets everything, and takes the newest page of the list. */
  startWith(page: TimelinePage): void {
    this.#places.clear();
    this.addOlder(page);
  }

  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    this.#changed();
  }

  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      for (const id of this.#places.keys()) {
        if (this.#places.size <= MAX_ROWS) break;
        this.#places.delete(id);
      }
      this.#snapshot = {
        rows: [...this.#places.values()],
        before: this.#places.size >= MAX_ROWS ? null : this.#before,
        isLive: this.#isLive,
      };
      for (const listener of this.#listeners) listener();
    });
  }
}

function rowOf({ states, ...row }: TimelineRow): Row {
  return { ...row, states: new Map(states.map((state, index) => [String(index), state])) };
}

function nextFrame(change: () => void): void {
  if (document.hidden) setTimeout(change, 250);
  else requestAnimationFrame(change);
}
