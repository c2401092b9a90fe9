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
  const root = members();
  put(root, places.id, event.id);
  put(root, places.type, event.type);
  if (places.category !== undefined) put(root, places.category, event.category);
  put(root, places.timestamp, event.timestamp);
  for (const [name, value] of Object.entries(event.data)) {
    put(root, `${places.data}/${name}`, value);
  }
  if (!has(root, event.resource)) {
    const beside = event.resource.slice(0, event.resource.lastIndexOf("/"));
    put(root, event.resource, event.subject.id);
    put(root, `${beside}/resourceType`, event.subject.type);
    const { paymentType } = event.subject;
    if (paymentType !== undefined) put(root, `${beside}/paymentType`, paymentType);
  }
  return root;
}

/** @param pointer Of names without escapes, as profiles have them; not `""`. */
function put(root: Members, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split("/");
  const last = names.pop() ?? "";
  let at = root;
  for (const name of names) {
    const next = at[name] ?? members();
    at[name] = next;
    // Only this function creates these members.
    at = next as Members;
  }
  at[last] = value;
}

/** Without a prototype: a profile whose pointer names `__proto__` reaches no other object. */
function members(): Members {
  // `Object.create` is typed `any`.
  return Object.create(null) as Members;
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
