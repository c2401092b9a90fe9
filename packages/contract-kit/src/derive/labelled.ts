import { escapePointer } from "./resolve.ts";

/** A whole value that was derived for one keyword of one schema in it. */
export interface Labelled {
  /** JSON Pointer of the place in the value; of the missing or unknown member itself. */
  readonly pointer: string;
  /** The keyword that it is about: the one that it breaks, or whose bound it stands at. */
  readonly keyword: string;
  /** Document, JSON Pointer and keyword of the schema: what a report of coverage counts. */
  readonly point: string;
  readonly value: unknown;
}

/** Names of members and indexes of items, from the outside in. */
export type Steps = readonly (string | number)[];

export function pointerOf(steps: Steps): string {
  return steps.map((step) => `/${escapePointer(String(step))}`).join("");
}

/** A copy of a value, with another one at a place. `undefined` takes the member away. */
export function withValueAt(value: unknown, [step, ...rest]: Steps, put: unknown): unknown {
  if (step === undefined) return put;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      index === step ? withValueAt(item, rest, put) : item,
    );
  }
  // Steps lead through what is there: an object here, or the place of a new member.
  const members = value as Readonly<Record<string, unknown>>;
  const changed = withValueAt(members[step], rest, put);
  const entries = Object.entries(members).filter(([name]) => name !== step);
  if (changed === undefined) return Object.fromEntries(entries);
  if (!Object.hasOwn(members, step)) return { ...members, [step]: changed };
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, name === step ? changed : member]),
  );
}
