import type { EventModel, EventShape } from "./event-model.ts";

/** The events by their types, in the catalogue's order: more than one where another member decides. */
export function byType({ events }: EventModel): ReadonlyMap<string, readonly EventShape[]> {
  return Map.groupBy(events, ({ type }) => type);
}

/** A text as the languages with C's escapes write it, where it is printable ASCII; other texts too in most. */
export const quoted = (text: string): string => JSON.stringify(text);

/** The names of events that are types, once each. */
export const namesOf = ({ events }: EventModel): readonly string[] =>
  events.map(({ name }) => name);
