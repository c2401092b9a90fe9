import { readJson } from "@countersign/rules";
import type { Profile } from "@countersign/schemas/profiles";
import { senderOf, type SentEvent } from "@countersign/schemas/provider-of";
import {
  customerResource,
  isObject,
  linkedAccountResource,
  newId,
  paymentResource,
  pointerTo,
  refundResource,
  subjectOf,
  writeEnvelope,
  writtenTime,
  type AccountRecord,
  type CustomerStatus,
  type DebitRecord,
  type EventKind,
  type Random,
  type RefundRecord,
} from "@countersign/service/internal";

export interface SampleOrder {
  readonly profile: Profile;
  /** The event's name in the profile's catalogue. */
  readonly type: string;
  /** Its time, in milliseconds since 1970. */
  readonly at: number;
  readonly random: Random;
  /** The event's id. Default: a new one. */
  readonly id?: string | undefined;
  /** JSON text of the event's data. Default: a sample of its kind. */
  readonly data?: string | undefined;
}

/** `UNKNOWN_EVENT`: the catalogue has no such name. `DATA_UNUSABLE`: `data` is not a JSON object. */
export type SampleEvent =
  | { readonly ok: true; readonly id: string; readonly body: string }
  | { readonly ok: false; readonly code: "UNKNOWN_EVENT" | "DATA_UNUSABLE" };

/** Returns an event without a cause, in the profile's format, as the text that is signed and sent. */
export function sampleEvent({ profile, type, at, random, ...given }: SampleOrder): SampleEvent {
  const { catalogue, envelope: places } = senderOf(profile);
  const sampled = sampledRow(catalogue, type);
  if (sampled === undefined) return { ok: false, code: "UNKNOWN_EVENT" };
  const { row, kind } = sampled;
  const data =
    given.data === undefined ? sampleData(sampled, { random, at }) : parseData(given.data);
  if (data === undefined) return { ok: false, code: "DATA_UNUSABLE" };
  const id = given.id ?? newId(random, "evt");
  const subject = subjectOf(kind, data);
  const envelope = writeEnvelope(places, {
    ...row,
    id,
    timestamp: writtenTime(at),
    data,
    subject,
  });
  return { ok: true, id, body: JSON.stringify(envelope) };
}

/**
 * Finds a name in a catalogue, with the kind of its samples: a payment's creation for a name that
 * this service never emits.
 */
export function sampledRow(
  catalogue: readonly SentEvent[],
  type: string,
): { readonly row: SentEvent; readonly kind: EventKind } | undefined {
  const rows = catalogue.filter((one) => one.type === type);
  const row = rows.find(({ kind }) => kind !== undefined) ?? rows[0];
  return row && { row, kind: row.kind ?? "payment.created" };
}

/**
 * Returns an event's data with the numbers' source texts: after parsing and printing, `10.50` would be
 * `10.5`. `undefined` if it is not an object.
 *
 * @param numbers The source text of the numbers, by JSON Pointer.
 */
export function eventData(
  value: unknown,
  numbers: ReadonlyMap<string, string>,
  pointer = "",
): object | undefined {
  if (!isObject(value)) return undefined;
  const data: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    data[name] = withDigits(one, numbers, pointerTo(pointer, name));
  }
  return data;
}

function withDigits(value: unknown, numbers: ReadonlyMap<string, string>, at: string): unknown {
  if (typeof value === "number") return JSON.rawJSON(numbers.get(at) ?? String(value));
  if (!Array.isArray(value)) return eventData(value, numbers, at) ?? value;
  return value.map((one: unknown, index) => withDigits(one, numbers, `${at}/${index}`));
}

/** Parses a JSON object, keeping the numbers' source texts. */
export function parseData(text: string): object | undefined {
  const json = readJson(text, { depth: 64, numbers: "all" });
  return json.ok ? eventData(json.value, json.numbers) : undefined;
}

interface Sampling {
  readonly random: Random;
  /** Instant of the namespace's clock, in milliseconds. */
  readonly at: number;
}

/** Data of a sample event of each kind; its resources are not in the database. */
const samples: Readonly<Record<EventKind, (sampling: Sampling) => object>> = {
  "payment.created": (of) => debit(of, { status: "CREATED" }),
  "payment.authorized": (of) => debit(of, { status: "AUTHORIZED" }),
  "payment.succeeded": (of) => debit(of, { status: "SUCCEEDED", settledAt: of.at }),
  "payment.failed": (of) => debit(of, { ...notDebited, failedAt: of.at }),
  "payment.canceled": (of) => debit(of, { status: "CANCELED", failedAt: of.at }),
  "refund.pending": (of) => refund(of, { status: "PENDING" }),
  "refund.authorized": (of) => refund(of, { status: "AUTHORIZED" }),
  "refund.failed": (of) => refund(of, notDebited),
  "customer.created": (of) => customer(of, "CREATED"),
  "customer.activated": (of) => customer(of, "ACTIVE"),
  "customer.deactivated": (of) => customer(of, "INACTIVE"),
  "account.linked": (of) => linkedAccountResource(account(of, "ACTIVE")),
  "account.updated": (of) => linkedAccountResource(account(of, "ACTIVE")),
  "account.deactivated": (of) => linkedAccountResource(account(of, "INACTIVE")),
};

/** Returns the data of a sample event; for a name without a kind, the profile's sample or its schema's example. */
export function sampleData(
  { row, kind }: { readonly row: SentEvent; readonly kind: EventKind },
  sampling: Sampling,
): object {
  if (row.kind !== undefined) return samples[kind](sampling);
  const { examples } = { examples: undefined, ...row.schema };
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  return row.sample ?? (isObject(first) ? first : samples[kind](sampling));
}

const notDebited = {
  status: "TERMINAL_FAILED",
  errorCode: "CUSTOMER_NOT_DEBITED",
  errorMessage: "The debit was not successful.",
} as const;

/** Members that debits and refunds share. */
const payment = (id: string, { random, at }: Sampling) => ({
  id,
  merchantId: "",
  clockId: "",
  customerId: newId(random, "cus"),
  requestKey: id,
  amountCents: 1050n,
  clientReferenceId: null,
  errorCode: null,
  errorMessage: null,
  createdAt: at,
});

function debit(
  sampling: Sampling,
  change: Pick<DebitRecord, "status"> & Partial<DebitRecord>,
): object {
  return paymentResource({
    ...payment(newId(sampling.random, "pay"), sampling),
    direction: "DEBIT",
    reservedCents: 0n,
    covered: false,
    settledAt: null,
    failedAt: null,
    ...change,
  });
}

function refund(
  sampling: Sampling,
  change: Pick<RefundRecord, "status"> & Partial<RefundRecord>,
): object {
  return refundResource({
    ...payment(newId(sampling.random, "ref"), sampling),
    direction: "CREDIT",
    originalId: newId(sampling.random, "pay"),
    softDescriptor: null,
    dueAt: null,
    ...change,
  });
}

function customer(sampling: Sampling, status: CustomerStatus): object {
  const id = newId(sampling.random, "cus");
  const name = { firstName: "Ada", lastName: "Sample", email: "ada.sample@example.test" };
  const linked = status === "CREATED" ? undefined : account(sampling, "ACTIVE", id);
  return customerResource({ id, ...name, status, createdAt: sampling.at }, linked);
}

function account(
  { random, at }: Sampling,
  status: string,
  customerId: string = newId(random, "cus"),
): AccountRecord {
  return {
    id: newId(random, "acc"),
    customerId,
    status,
    preferred: true,
    institution: "First Sample Bank",
    lastFour: "6789",
    type: "checking",
    createdAt: at,
  };
}
