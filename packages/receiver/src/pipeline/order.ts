import { compareStates, type ResourceState } from "@countersign/rules";
import type { CatalogueEntry } from "@countersign/schemas";
import { type Envelope, membersOf, valueAt } from "./envelope.ts";
import type { EventResource } from "../inbox/inbox.ts";

/**
 * The resource that an event is about, by the pointer of its catalogue's entry. `undefined` where the
 * type is unknown or the body holds no id there: nothing is ordered then, and nothing is skipped.
 *
 * Types are states of one resource where they have their name up to the last dot in common: a
 * refund that carries its payment's id is not that payment. Without a dot the category stands for it.
 */
export function resourceOf(
  { identity: { type }, body, event }: Envelope,
  entry: CatalogueEntry<unknown> | undefined,
): EventResource | undefined {
  if (entry === undefined) return undefined;
  const id = valueAt(body, membersOf(entry.resource));
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  const dot = type.lastIndexOf(".");
  const family = dot === -1 ? entry.category : type.slice(0, dot);
  return {
    name: JSON.stringify([family, id]),
    rank: entry.rank,
    timestamp: Date.parse(event.timestamp),
  };
}

/** Whether the event tells an older state of its resource than the last handled one. Ties, and times that are none, run. */
export function isSuperseded(
  { type, resource }: { readonly type: string; readonly resource: EventResource },
  last: ResourceState | undefined,
): boolean {
  if (last === undefined) return false;
  const { rank, timestamp } = resource;
  return compareStates({ first: last, second: { type, rank, timestamp } }) === "older";
}
