import { parseAmount, readJson } from "@countersign/rules";
import { type SchemaError, stepsOf, valueAt } from "@countersign/schemas";
import type { Envelope, ResolvedProfile, SentEvent } from "@countersign/schemas/provider-of";
import { validateEvent } from "@countersign/schemas/writers";
import { isRecord } from "../values.ts";
import { attemptExchange, type ReceivedAttempt } from "../harness/endpoints.ts";
import { isOfIdentifier, withoutAdditions } from "./answer-schema.ts";
import type { Session } from "./session.ts";

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
export function parseEvent(
  body: Uint8Array,
  { envelope, limits }: ResolvedProfile,
): DeliveredEvent | string {
  const reading = readJson(body, { depth: limits.depth, numbers: "all" });
  if (!reading.ok) return `the body is not strict JSON (${reading.code})`;
  const { value: root, numbers } = reading;
  const [id, type] = [valueAt(root, envelope.id), valueAt(root, envelope.type)];
  const category = envelope.category === undefined ? undefined : valueAt(root, envelope.category);
  return { id, type, category, root, numbers };
}

/** The errors of an event by a row of its type, one per line; validated in the standard form, which the schemas describe. */
function rowFaults(
  event: DeliveredEvent,
  row: SentEvent,
  profile: ResolvedProfile,
): readonly string[] {
  const { envelope } = profile;
  const { kind } = row;
  // A type that only another provider has: its data is unknown.
  if (kind === undefined) return [];
  const [group = ""] = kind.split(".");
  const category = group === "refund" ? "PAYMENT" : group.toUpperCase();
  const timestamp = valueAt(event.root, envelope.timestamp);
  const data = dataOf(event.root, row, envelope);
  const validation = validateEvent({ id: event.id, type: kind, category, timestamp, data });
  // Other characters in an id are reported once, of answers.
  const own = validation.ok ? [] : validation.errors.filter((one) => !isOfIdentifier(one));
  const errors = [...own, ...strayMembers(event.root, envelope)];
  const lines = withoutAdditions(errors, profile).map(
    ({ pointer, message }) => `${pointer || "the event"} ${message}`,
  );
  const amount = `${envelope.data}/amount/value`;
  const text = event.numbers.get(amount);
  const isAmount = text === undefined || parseAmount(text).ok;
  return isAmount ? lines : [...lines, `${amount} is not an amount in cents`];
}

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
  const error = { keyword: "additionalProperties", message: "is not a member of the envelope" };
  return Object.keys(root)
    .filter((name) => !known.includes(name))
    .map((name) => ({ ...error, pointer: `/${name}` }));
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
  attempt: ReceivedAttempt,
  signedId: string | undefined,
): void {
  const { profile } = session;
  // This attempt need not be the last one.
  const shown = [attemptExchange(attempt)];
  const expect = (requirement: string, holds: boolean, message: string): boolean =>
    session.expect(requirement, holds, message, shown);
  const event = parseEvent(attempt.body, profile);
  if (typeof event === "string") return void expect(SCHEMA, false, event);
  const { id, type, category } = event;
  const otherId = `the signed id ${String(signedId)} is not the event's, ${String(id)}`;
  expect(SIGNED, signedId === undefined || signedId === id, otherId);
  const row = profile.catalogue.find((one) => one.type === type);
  expect(CATALOGUE, row !== undefined, `the catalogue has no ${JSON.stringify(type)}`);
  if (row === undefined) return;
  const otherCategory = `${String(type)} is of ${row.category}, and is sent as ${JSON.stringify(category)}`;
  expect(CATALOGUE, category === undefined || category === row.category, otherCategory);
  // A type with several kinds is valid if one of them matches.
  const found = profile.catalogue
    .filter((one) => one.type === type)
    .map((one) => rowFaults(event, one, profile));
  const faults = found.find(({ length }) => length === 0) ?? found[0] ?? [];
  expect(SCHEMA, faults.length === 0, `${String(type)}: ${faults.join("; ")}`);
}
