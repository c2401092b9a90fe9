import { noMembers, putAt } from "@countersign/schemas";
import type { Envelope, SentEvent } from "@countersign/schemas/provider-of";

/** The moments at which this service writes an event. A provider may give them other names, or none. */
export type EventKind = NonNullable<SentEvent["kind"]>;

/** The facts of an event that an envelope is written from. */
export interface EnvelopeMembers extends SentEvent {
  readonly id: string;
  /** A time as S 2.3 writes it. */
  readonly timestamp: string;
  readonly data: object;
  readonly subject: EventSubject;
}

/** An event's subject, for envelopes that name it outside the resource. */
export interface EventSubject {
  readonly id: unknown;
  readonly type: "payment" | "customer";
  /** The direction of a payment: `CREDIT` is a refund. */
  readonly paymentType?: "DEBIT" | "CREDIT";
}

/** @param data The resource of the kind. An account's subject is its customer. */
export function subjectOf(kind: EventKind, data: object): EventSubject {
  const members: Partial<Record<string, unknown>> = { ...data };
  switch (kind) {
    case "payment.created":
    case "payment.authorized":
    case "payment.succeeded":
    case "payment.failed":
    case "payment.canceled":
      return { id: members["paymentId"], type: "payment", paymentType: "DEBIT" };
    case "refund.pending":
    case "refund.authorized":
    case "refund.failed":
      return { id: members["paymentId"], type: "payment", paymentType: "CREDIT" };
    case "account.linked":
    case "account.updated":
    case "account.deactivated":
      return { id: members["customerId"], type: "customer" };
    case "customer.created":
    case "customer.activated":
    case "customer.deactivated":
      return { id: members["id"], type: "customer" };
    default:
      return kind satisfies never;
  }
}

type Members = Record<string, unknown>;

/**
 * Writes an event in the provider's form (S 6, rule 5): each member at its JSON Pointer. A pointer of `""`
 * puts the resource's own members next to the others.
 *
 * If the catalogue names a place for the resource's id that the resource does not fill itself, the id is
 * written there, and the kind of resource next to it, which distinguishes a refund and a debit with one
 * event name.
 */
export function writeEnvelope(places: Envelope, event: EnvelopeMembers): object {
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
