import { parseAmount, readJson } from "@countersign/rules";
import { type SchemaError, stepsOf, valueAt } from "@countersign/schemas";
import type { Envelope, ResolvedProfile, SentEvent } from "@countersign/schemas/provider-of";
import { validateEvent } from "@countersign/schemas/writers";
import { isRecord } from "../values.ts";
import type { ReceivedAttempt } from "../harness/endpoints.ts";
import { isOfIdentifier, type ValidationContext, withoutAdditions } from "./answer-schema.ts";
import type { Session } from "./session.ts";

interface EventContext extends ValidationContext {
  readonly profile: ResolvedProfile;
}

/** The members of an attempt's body at the profile's pointers. */
export interface DeliveredEvent {
  readonly id: unknown;
  readonly type: unknown;
  readonly category: unknown;
  readonly root: unknown;
  /** Source texts of the body's numbers by their JSON Pointers. */
  readonly numbers: ReadonlyMap<string, string>;
}

/** The event of a body, or the reason why it is not one. */
export function eventOf(
  body: Uint8Array,
  { envelope, limits }: ResolvedProfile,
): DeliveredEvent | string {
  const reading = readJson(body, { depth: limits.depth, numbers: "all" });
  if (!reading.ok) return `the body is not strict JSON (${reading.code})`;
  const { value: root, numbers } = reading;
  return {
    id: valueAt(root, envelope.id),
    type: valueAt(root, envelope.type),
    category: envelope.category === undefined ? undefined : valueAt(root, envelope.category),
    root,
    numbers,
  };
}

/**
 * The errors of an event by the schema of its type, one per line; empty if it is valid. A type with
 * several kinds is valid if one of them matches.
 */
function eventFaults(event: DeliveredEvent, context: EventContext): readonly string[] {
  const rows = context.profile.catalogue.filter(({ type }) => type === event.type);
  const found = rows.map((row) => rowFaults(event, row, context));
  return found.find((faults) => faults.length === 0) ?? found[0] ?? [];
}

/** Validated in the standard form, which the schemas describe. */
function rowFaults(
  event: DeliveredEvent,
  row: SentEvent,
  context: EventContext,
): readonly string[] {
  const { envelope } = context.profile;
  // A type that only another provider has: its data is unknown.
  if (row.kind === undefined) return [];
  const validation = validateEvent({
    id: event.id,
    type: row.kind,
    category: STANDARD_CATEGORY[row.kind.split(".")[0] ?? ""],
    timestamp: valueAt(event.root, envelope.timestamp),
    data: dataOf(event.root, row, envelope),
  });
  // Other characters in an id are reported once, of answers.
  const own = validation.ok ? [] : validation.errors.filter((one) => !isOfIdentifier(one));
  const errors = [...own, ...strayMembers(event.root, envelope)];
  const lines = withoutAdditions(errors, `the event ${row.type}`, context).map(
    ({ pointer, message }) => `${pointer || "the event"} ${message}`,
  );
  const amount = `${envelope.data}/amount/value`;
  const text = event.numbers.get(amount);
  const isAmount = text === undefined || parseAmount(text).ok;
  return isAmount ? lines : [...lines, `${amount} is not an amount in cents`];
}

const STANDARD_CATEGORY: Readonly<Record<string, string>> = {
  payment: "PAYMENT",
  refund: "PAYMENT",
  customer: "CUSTOMER",
  account: "ACCOUNT",
};

/** The resource's own members, without those of the envelope next to them. */
export function dataOf(root: unknown, row: SentEvent, envelope: Envelope): unknown {
  const data = valueAt(root, envelope.data);
  if (!isRecord(data)) return data;
  const member = row.resource.slice(row.resource.lastIndexOf("/") + 1);
  const isOwn = ["id", "paymentId", "customerId"].includes(member);
  const others = isOwn ? [] : [member, "resourceType", "paymentType"];
  const around = envelope.data === "" ? namesOf(envelope) : [];
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => !others.includes(name) && !around.includes(name)),
  );
}

function strayMembers(root: unknown, envelope: Envelope): readonly SchemaError[] {
  if (envelope.data === "" || !isRecord(root)) return [];
  const known = namesOf(envelope);
  return Object.keys(root)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      pointer: `/${name}`,
      keyword: "additionalProperties",
      message: "is not a member of the envelope",
    }));
}

function namesOf(envelope: Envelope): readonly string[] {
  const { id, type, category, timestamp, data } = envelope;
  return [id, type, category, timestamp, data].flatMap(
    (pointer) => stepsOf(pointer ?? "")[0] ?? [],
  );
}

const SIGNED = "P-EVENT-SIGNED";
const CATALOGUE = "P-EVENT-CATALOGUE";
const SCHEMA = "P-EVENT-SCHEMA";

/** Judges an event's type, category and schema, and that its id is the signed one. */
export function expectEvent(
  session: Session,
  { body }: ReceivedAttempt,
  signedId: string | undefined,
): void {
  const { profile, target } = session;
  const event = eventOf(body, profile);
  if (typeof event === "string") {
    session.expect(SCHEMA, false, () => event);
    return;
  }
  const { id, type, category } = event;
  session.expect(SIGNED, signedId === undefined || signedId === id, () => {
    return `the signed id ${String(signedId)} is not the event's, ${String(id)}`;
  });
  const row = profile.catalogue.find((one) => one.type === type);
  session.expect(CATALOGUE, row !== undefined, () => {
    return `the catalogue has no ${JSON.stringify(type)}`;
  });
  if (row === undefined) return;
  session.expect(CATALOGUE, category === undefined || category === row.category, () => {
    return `${String(type)} is of ${row.category}, and is sent as ${JSON.stringify(category)}`;
  });
  const faults = eventFaults(event, { profile, additions: target.additions });
  session.expect(SCHEMA, faults.length === 0, () => `${String(type)}: ${faults.join("; ")}`);
}
