import { pointerOf, stepsOf, valueAt, withValueAt } from "@countersign/schemas";
import type { Envelope, SentEvent } from "@countersign/schemas/provider-of";

/** The moments at which this service writes an event. A provider may give them other names, or none. */
export type EventKind = NonNullable<SentEvent["kind"]>;

/** A kind of resource that events are about, by the first word of a kind of event. */
interface ResourceKind {
  /** Title of the schema of `data`. */
  readonly title: string;
  /** The member of `data` that identifies the subject: an account's is its customer. */
  readonly id: string;
  readonly subject: Omit<EventSubject, "id">;
}

const RESOURCES: Readonly<Record<string, ResourceKind>> = {
  payment: {
    title: "Payment",
    id: "paymentId",
    subject: { type: "payment", paymentType: "DEBIT" },
  },
  refund: { title: "Refund", id: "paymentId", subject: { type: "payment", paymentType: "CREDIT" } },
  customer: { title: "Customer", id: "id", subject: { type: "customer" } },
  account: { title: "LinkedAccount", id: "customerId", subject: { type: "customer" } },
};

export function resourceOf(kind: EventKind): ResourceKind {
  const found = RESOURCES[kind.slice(0, kind.indexOf("."))];
  if (found === undefined) throw new Error(`${kind} has no resource`);
  return found;
}

/** The facts of an event that an envelope is written from. */
export interface EnvelopeMembers extends SentEvent {
  readonly id: unknown;
  /** A time as S 2.3 writes it. */
  readonly timestamp: unknown;
  readonly data: object;
  readonly subject: EventSubject;
}

/** An event's subject, for envelopes that name it outside the resource. */
interface EventSubject {
  readonly id: unknown;
  readonly type: "payment" | "customer";
  /** The direction of a payment: `CREDIT` is a refund. */
  readonly paymentType?: "DEBIT" | "CREDIT";
}

/** @param data The resource of the kind. */
export function subjectOf(kind: EventKind, data: object): EventSubject {
  const { id, subject } = resourceOf(kind);
  const members: Partial<Record<string, unknown>> = { ...data };
  return { id: members[id], ...subject };
}

/**
 * Writes an event in the provider's form (S 6, rule 5): each member at its JSON Pointer. If the catalogue names a place
 * for the resource's id that the resource does not fill itself, the id is written there, and the kind of resource next to
 * it, which distinguishes a refund and a debit with one event name.
 */
export function writeEnvelope(places: Envelope, event: EnvelopeMembers): object {
  let root: unknown = {};
  const put = (pointer: string, value: unknown): void => {
    root = withValueAt(root, stepsOf(pointer), value);
  };
  put(places.id, event.id);
  put(places.type, event.type);
  if (places.category !== undefined) put(places.category, event.category);
  put(places.timestamp, event.timestamp);
  for (const [name, value] of Object.entries(event.data))
    put(places.data + pointerOf([name]), value);
  if (valueAt(root, event.resource) === undefined) {
    const { id, type, paymentType } = event.subject;
    const beside = event.resource.slice(0, event.resource.lastIndexOf("/"));
    put(event.resource, id);
    put(`${beside}/resourceType`, type);
    if (paymentType !== undefined) put(`${beside}/paymentType`, paymentType);
  }
  // Each pointer leads to a member.
  return root as object;
}
