import type { EventTypeMap } from "@countersign/schemas";
import { eventExamples } from "@countersign/schemas/event-examples";
import { validateEvent } from "@countersign/schemas/writers";

/**
 * Changes to an example: objects are merged member by member, everything else is replaced, and
 * `undefined` takes a member away.
 */
export type Overrides<Value> = Value extends object
  ? { readonly [Member in keyof Value]?: Overrides<Value[Member]> | undefined }
  : Value;

/** Makes an event of one type. */
export type EventFactory<Event> = (
  overrides?: Overrides<Omit<Event, "type" | "category">>,
) => Event;

/** A factory for every type of the standard catalogue. */
export type EventFactories = {
  readonly [Type in keyof EventTypeMap]: EventFactory<EventTypeMap[Type]>;
};

export interface EventFactoriesOptions {
  /**
   * Numbers the events: its answers must differ. Factories whose events meet in one receiver share a
   * counter. Default: 1, 2, 3, …
   */
  readonly counter?: () => number;
  /** When the events happen, in milliseconds since 1970. Default: the time of the schema's example. */
  readonly now?: () => number;
}

/**
 * Returns factories of events, one for every type of the standard catalogue: each event is the schema's
 * example with a new id (`evt_1`, `evt_2`, …) and the given changes. Each event is validated as a sender's,
 * so that a test cannot pass with an event that no sender sends.
 *
 * @throws {TypeError} (the factories) the changed event is not valid; the message says where.
 */
export function eventFactories(options: EventFactoriesOptions = {}): EventFactories {
  const { counter = countFrom(1), now } = options;
  const factory =
    (type: keyof EventTypeMap): EventFactory<object> =>
    (overrides = {}) => {
      const time = now === undefined ? {} : { timestamp: new Date(now()).toISOString() };
      const event = merge(
        { ...eventExamples[type], id: `evt_${String(counter())}`, ...time },
        overrides,
      );
      if (!("type" in event && event.type === type))
        throw new TypeError(`events[${JSON.stringify(type)}]: /type must be the factory's`);
      const validation = validateEvent(event);
      if (validation.ok) return validation.value;
      const faults = validation.errors.map(({ pointer, message }) => `${pointer} ${message}`);
      throw new TypeError(`events[${JSON.stringify(type)}]: ${faults.join("; ")}`);
    };
  const types = Object.keys(eventExamples) as (keyof EventTypeMap)[];
  // A factory returns only events of its type.
  return Object.fromEntries(types.map((type) => [type, factory(type)])) as EventFactories;
}

function countFrom(first: number): () => number {
  let next = first;
  return () => next++;
}

/** Never changes `base`: it is the shared example. */
function merge(base: object, overrides: object): object {
  const members = new Map<string, unknown>(Object.entries(base));
  for (const [name, override] of Object.entries(overrides)) {
    const before = members.get(name);
    if (override === undefined) members.delete(name);
    else
      members.set(
        name,
        isObject(before) && isObject(override) ? merge(before, override) : override,
      );
  }
  return Object.fromEntries(members);
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
