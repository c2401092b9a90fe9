import { parseAmount, readJson } from "@countersign/rules";
import { type SchemaError, stepsOf, valueAt } from "@countersign/schemas";
import type { Envelope, ResolvedProfile, SentEvent } from "@countersign/schemas/provider-of";
import { validateEvent } from "@countersign/schemas/writers";
import { schemeOf, type Verification } from "@countersign/signatures";
import { isRecord, parseJson } from "../values.ts";
import type { AnswerAttempt, AttemptAnswer, Place, ReceivedAttempt } from "./hosted-receiver.ts";
import { type Judging, must, Violation, withoutAdditions } from "./judge.ts";

interface EventJudging extends Judging {
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
 * The event's id, also of a body that is not strict JSON: the check of schemas reports that, and others
 * count its attempts nevertheless. `undefined` if it has no id.
 */
export function idOf(body: Uint8Array, { envelope }: ResolvedProfile): string | undefined {
  const id = valueAt(parseJson(body), envelope.id);
  return typeof id === "string" ? id : undefined;
}

/** The attempts of each event at a place, by its id. */
export function attemptsById(
  { attempts }: Place,
  profile: ResolvedProfile,
): ReadonlyMap<string | undefined, readonly ReceivedAttempt[]> {
  return Map.groupBy(attempts, ({ body }) => idOf(body, profile));
}

/** Waits until events have arrived. @returns Those that have not arrived in time. */
export async function missingAt<T extends { readonly id: string }>(
  place: Place,
  emitted: readonly T[],
  profile: ResolvedProfile,
): Promise<readonly T[]> {
  const missing = (): readonly T[] => {
    const arrived = attemptsById(place, profile);
    return emitted.filter(({ id }) => !arrived.has(id));
  };
  await place.until(() => missing().length === 0);
  return missing();
}

/** Answers every attempt of the first event by the first answer, of the second by the second; others by 204. */
export function answerEach(
  answers: readonly (AttemptAnswer | (() => AttemptAnswer))[],
  profile: ResolvedProfile,
): AnswerAttempt {
  const ids: (string | undefined)[] = [];
  return ({ body }) => {
    const id = idOf(body, profile);
    if (!ids.includes(id)) ids.push(id);
    const answer = answers[ids.indexOf(id)] ?? { status: 204 };
    return typeof answer === "function" ? answer() : answer;
  };
}

/**
 * The errors of an event by the schema of its type, one per line; empty if it is valid. A type with
 * several kinds is valid if one of them matches.
 */
function eventFaults(event: DeliveredEvent, judging: EventJudging): readonly string[] {
  const rows = judging.profile.catalogue.filter(({ type }) => type === event.type);
  const judged = rows.map((row) => rowFaults(event, row, judging));
  return judged.find((faults) => faults.length === 0) ?? judged[0] ?? [];
}

/** Validated in the standard form, which the schemas describe. */
function rowFaults(
  event: DeliveredEvent,
  row: SentEvent,
  judging: EventJudging,
): readonly string[] {
  const { envelope } = judging.profile;
  // A type that only another provider has: its data is unknown.
  if (row.kind === undefined) return [];
  const validation = validateEvent({
    id: event.id,
    type: row.kind,
    category: STANDARD_CATEGORY[row.kind.split(".")[0] ?? ""],
    timestamp: valueAt(event.root, envelope.timestamp),
    data: dataOf(event.root, row, envelope),
  });
  const own = validation.ok ? [] : validation.errors;
  const errors = [...own, ...strayMembers(event.root, envelope)];
  const lines = withoutAdditions(errors, `the event ${row.type}`, judging).map(
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
  const place = row.resource.slice(row.resource.lastIndexOf("/") + 1);
  const isOwn = ["id", "paymentId", "customerId"].includes(place);
  const beside = isOwn ? [] : [place, "resourceType", "paymentType"];
  const around = envelope.data === "" ? namesOf(envelope) : [];
  return Object.fromEntries(
    Object.entries(data).filter(([name]) => !beside.includes(name) && !around.includes(name)),
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

const HEADERS = "P-EVENT-HEADERS";
const SIGNED = "P-EVENT-SIGNED";
const TIMESTAMP = "P-EVENT-TIMESTAMP";

/** True if an attempt verifies with a subscription's secret. */
export function isGenuine(
  attempt: ReceivedAttempt,
  secretKey: string,
  profile: ResolvedProfile,
): boolean {
  return verified(attempt, secretKey, profile).ok;
}

/**
 * Checks an attempt's format, its signature over the received bytes, and its timestamp.
 *
 * @returns The signed time in seconds; `undefined` if the scheme signs none.
 * @throws {Violation} `P-EVENT-HEADERS`, `P-EVENT-SIGNED` or `P-EVENT-TIMESTAMP`.
 */
export function requireGenuine(
  attempt: ReceivedAttempt,
  secretKey: string,
  profile: ResolvedProfile,
): number | undefined {
  const type = (attempt.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  must(HEADERS, attempt.method === "POST" && type === "application/json", () => {
    return `an attempt is a ${attempt.method} of ${type || "no media type"}, not a POST of application/json`;
  });
  const verification = verified(attempt, secretKey, profile);
  const code = verification.ok ? "" : verification.code;
  must(HEADERS, !/_HEADER_/.test(code), () => `an attempt's headers of the scheme: ${code}`);
  must(TIMESTAMP, !code.startsWith("CS_SIGNATURE_TIMESTAMP"), () => {
    return `an attempt's timestamp, received at ${Math.floor(attempt.at / 1000)}: ${code}`;
  });
  must(SIGNED, verification.ok, () => {
    return `the signature does not match the bytes that arrived: ${code}`;
  });
  const id = idOf(attempt.body, profile);
  must(SIGNED, verification.id === undefined || verification.id === id, () => {
    return `the signed id ${String(verification.id)} is not the event's, ${String(id)}`;
  });
  return verification.timestamp;
}

function verified(
  { headers, body, at: now }: ReceivedAttempt,
  secretKey: string,
  { provider }: ResolvedProfile,
): Verification {
  return schemeOf(provider).verify({ headers, body }, [secretKey], { now });
}

/**
 * An event's type, its category and its schema.
 *
 * @throws {Violation} `P-EVENT-SCHEMA` or `P-EVENT-CATALOGUE`.
 */
export function requireKnown(body: Uint8Array, judging: EventJudging): void {
  const { profile } = judging;
  const event = eventOf(body, profile);
  if (typeof event === "string") throw new Violation("P-EVENT-SCHEMA", event);
  const { type, category } = event;
  const row = profile.catalogue.find((one) => one.type === type);
  must("P-EVENT-CATALOGUE", row !== undefined, () => {
    return `the catalogue has no ${JSON.stringify(type)}`;
  });
  must("P-EVENT-CATALOGUE", category === undefined || category === row.category, () => {
    return `${String(type)} is of ${row.category}, and is sent as ${JSON.stringify(category)}`;
  });
  const faults = eventFaults(event, judging);
  must("P-EVENT-SCHEMA", faults.length === 0, () => `${String(type)}: ${faults.join("; ")}`);
}
