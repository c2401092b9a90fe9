import type { Profile } from "@countersign/schemas/profiles";

/** What a profile's catalogue says of one event name, over all the moments that have it. */
export interface NamedEvent {
  readonly type: string;
  readonly category: string;
  /** The moments that have this name; none of an event that this service never writes. */
  readonly kinds: readonly string[];
  /** JSON Pointers into the payload, of which one holds the id of what the event is about. */
  readonly subjects: readonly string[];
}

/** The events of a catalogue, each name once, in its order. */
export function namedEvents({ catalogue }: Pick<Profile, "catalogue">): NamedEvent[] {
  return [...Map.groupBy(catalogue, ({ type }) => type)].map(([type, rows]) => ({
    type,
    category: rows[0]?.category ?? "",
    kinds: rows.flatMap(({ kind }) => kind ?? []),
    subjects: [...new Set(rows.map(({ resource }) => resource))],
  }));
}

/** The places of subjects in a catalogue, each once, as paths of SQLite's JSON functions. */
export function subjectPaths({ catalogue }: Pick<Profile, "catalogue">): string[] {
  return [...new Set(catalogue.map(({ resource }) => pathOf(resource)))];
}

/** A pointer of names without escapes, as profiles have them, as a path of SQLite's JSON functions. */
export function pathOf(pointer: string): string {
  return `$${pointer
    .split("/")
    .slice(1)
    .map((name) => `."${name}"`)
    .join("")}`;
}
