import type {
  DeliveryState,
  TimelinePage,
  TimelineRow,
  ToldDelivery,
  ToldEvent,
} from "../remote/shapes.ts";
import type { StreamState } from "../remote/stream.ts";
import { Bodies } from "./bodies.ts";
import type { NumberedRows } from "./shown-rows.ts";

/** Rows without payloads that are kept; the oldest go first. */
export const MAX_ROWS = 100_000;

/** Milliseconds between two changes. */
const PACE_MS = 80;

/** Of every event without deliveries: a map of its own for each would weigh more than the rest. */
const NONE: ReadonlyMap<string, DeliveryState> = new Map();

export interface Row extends Omit<TimelineRow, "states"> {
  /** The state of each delivery, by subscription or by place. */
  readonly states: ReadonlyMap<string, DeliveryState>;
  /** What a search looks in: type and ids in lower case. */
  readonly text: string;
}

/** The newest row is the last. */
export interface Snapshot extends NumberedRows {
  /** Another one when everything was forgotten: numbers of before mean other rows. */
  readonly generation: number;
  /** The cursor of older rows; `null` where there are none, `undefined` before the first answer. */
  readonly before: string | null | undefined;
  readonly stream: StreamState;
}

/**
 * The timeline of the page, as an external store. News of 80 ms are one change, so that a burst of thousands is drawn
 * a few times.
 */
export class TimelineStore {
  readonly bodies: Bodies = new Bodies();
  /** The newest last. */
  #rows: Row[] = [];
  /** The number of the first row; older ones have lower numbers, so that no row is numbered anew. */
  #first = 0;
  readonly #numbers = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  readonly #schedule: (change: () => void) => void;
  #snapshot: Snapshot = {
    rows: [],
    first: 0,
    generation: 0,
    before: undefined,
    stream: "connecting",
  };
  #generation = 0;
  /** Ids of events that were told since a page was asked for. */
  #since: Set<string> | undefined;
  #isScheduled = false;
  #before: string | null | undefined;
  #stream: StreamState = "connecting";

  /** @param schedule Runs a change once, soon. Default: after 80 ms. */
  constructor(schedule: (change: () => void) => void = soon) {
    this.#schedule = schedule;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): Snapshot => this.#snapshot;

  /** @param subject The id of what the event is about. */
  addEvent(event: ToldEvent, subject: string | null): void {
    this.bodies.set(event.id, event.payload);
    this.#since?.add(event.id);
    const { id, type, category, timestamp } = event;
    const states = this.#find(id)?.states ?? NONE;
    const text = textOf({ id, type, subject });
    this.#put({ id, type, category, timestamp, subject, states, text });
  }

  setDelivery({ eventId, subscriptionKey, state }: ToldDelivery): void {
    const row = this.#find(eventId);
    if (row === undefined) return;
    // States by place are those of a list; the first news by name takes the place of all.
    const named = [...row.states].filter(([key]) => key.startsWith("sub_"));
    this.#put({ ...row, states: new Map(named).set(subscriptionKey, state) });
  }

  /** The number of an event's row; `undefined` where there is none. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  /** Adds a page of the list below what is there. */
  addOlder({ events, before }: TimelinePage): void {
    const older = events.filter(({ id }) => !this.#numbers.has(id)).toReversed();
    this.#first -= older.length;
    older.forEach(({ id }, index) => this.#numbers.set(id, this.#first + index));
    this.#rows = [...older.map(rowOf), ...this.#rows];
    this.#before = before;
    this.#changed();
  }

  /** The newest page of the list is asked for: what is told from now on may not be in it. */
  awaitPage(): void {
    this.#since = new Set();
  }

  /** Forgets everything but what was told since the page was asked for, and takes the page. */
  startWith(page: TimelinePage): void {
    const told = [...(this.#since ?? [])].flatMap((id) => this.#find(id) ?? []);
    this.#since = undefined;
    this.#rows = [];
    this.#numbers.clear();
    this.#generation += 1;
    this.addOlder(page);
    for (const row of told) this.#put(row);
  }

  setStream(stream: StreamState): void {
    this.#stream = stream;
    this.#changed();
  }

  #find(id: string): Row | undefined {
    const number = this.#numbers.get(id);
    return number === undefined ? undefined : this.#rows[number - this.#first];
  }

  #put(row: Row): void {
    const number = this.#numbers.get(row.id) ?? this.#first + this.#rows.length;
    this.#numbers.set(row.id, number);
    this.#rows[number - this.#first] = row;
    this.#changed();
  }

  #trim(): void {
    const surplus = this.#rows.splice(0, Math.max(0, this.#rows.length - MAX_ROWS));
    for (const { id } of surplus) this.#numbers.delete(id);
    this.#first += surplus.length;
  }

  #changed(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.#trim();
      this.#snapshot = {
        rows: [...this.#rows],
        first: this.#first,
        generation: this.#generation,
        before: this.#rows.length >= MAX_ROWS ? null : this.#before,
        stream: this.#stream,
      };
      for (const listener of this.#listeners) listener();
    });
  }
}

function rowOf({ states, ...row }: TimelineRow): Row {
  const kept =
    states.length === 0 ? NONE : new Map(states.map((state, index) => [String(index), state]));
  return { ...row, states: kept, text: textOf(row) };
}

function textOf({ id, type, subject }: Pick<Row, "id" | "type" | "subject">): string {
  return `${type} ${id} ${subject ?? ""}`.toLowerCase();
}

function soon(change: () => void): void {
  setTimeout(change, PACE_MS);
}
