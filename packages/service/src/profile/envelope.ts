import { noMembers, putAt } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import type { EnvelopeMembers } from "./policy.ts";

type Members = Record<string, unknown>;

/**
 * Writes an event in the profile's form (S 6, rule 5): each member at its JSON Pointer. A pointer of `""`
 * puts the resource's own members next to the others.
 *
 * If the catalogue names a place for the resource's id that the resource does not fill itself, the id is
 * written there, and the kind of resource next to it, which distinguishes a refund and a debit with one
 * event name.
 */
export function writeEnvelope(places: Profile["envelope"], event: EnvelopeMembers): object {
  const root = noMembers();
  putAt(root, places.id, event.id);
  putAt(root, places.type, event.type);
  if (places.category !== undefined) putAt(root, places.category, event.category);
  putAt(root, places.timestamp, event.timestamp);
  for (const [name, value] of Object.entries(event.data)) {
    putAt(root, `${places.data}/${name}`, value);
  }
  if (!has(root, event.resource)) {
    const beside = event.resource.slice(0, event.resource.lastIndexOf("/"));
    putAt(root, event.resource, event.subject.id);
    putAt(root, `${beside}/resourceType`, event.subject.type);
    const { paymentType } = event.subject;
    if (paymentType !== undefined) putAt(root, `${beside}/paymentType`, paymentType);
  }
  return root;
}

function has(root: Members, pointer: string): boolean {
  let at: unknown = root;
  for (const name of pointer.slice(1).split("/")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return false;
    // An object that has the name.
    at = (at as Members)[name];
  }
  return true;
}
