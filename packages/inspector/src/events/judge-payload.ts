import { valueAt } from "@countersign/schemas";
import {
  validateCustomer as readCustomer,
  validateLinkedAccount as readLinkedAccount,
  validatePayment as readPayment,
  validateRefund as readRefund,
} from "@countersign/schemas/readers";
import {
  validateCustomer,
  validateEvent,
  validateLinkedAccount,
  validatePayment,
  validateRefund,
} from "@countersign/schemas/writers";
import type { About, NamedEvent, WrittenEvent } from "../shapes.ts";

/** A place at which a value does not match its schema. */
interface SchemaFault {
  readonly pointer: string;
  readonly message: string;
}

export interface Judged {
  /** The schema. */
  readonly by: string;
  readonly faults: readonly SchemaFault[];
}

type Check = (value: unknown) => { ok: true } | { ok: false; errors: readonly KeyedFault[] };

interface KeyedFault extends SchemaFault {
  readonly keyword: string;
}

/** Validators of the data of each resource: closed for what the sandbox writes, open for what a reader accepts. */
const checks: Readonly<Record<string, { name: string; writer: Check; reader: Check }>> = {
  payment: { name: "Payment", writer: validatePayment, reader: readPayment },
  refund: { name: "Refund", writer: validateRefund, reader: readRefund },
  customer: { name: "Customer", writer: validateCustomer, reader: readCustomer },
  account: { name: "LinkedAccount", writer: validateLinkedAccount, reader: readLinkedAccount },
};

const names = ["id", "type", "category", "timestamp", "data"] as const;

/**
 * Validates a payload: the whole of one in the standard envelope, else the members that the profile's pointers name, and
 * the data against the schema of one of the kinds with the event's name.
 */
export function judgePayload(
  event: Pick<WrittenEvent, "type" | "payload">,
  about: Pick<About, "events" | "envelope">,
): Judged {
  const value = read(event.payload);
  const row = about.events.find(({ type }) => type === event.type);
  const isStandard =
    names.every((name) => about.envelope[name] === `/${name}`) &&
    (row === undefined || (row.kinds.length === 1 && row.kinds[0] === row.type));
  if (isStandard) {
    const judged = validateEvent(value);
    const by = `the schema of ${event.type}`;
    return { by, faults: judged.ok ? [] : judged.errors };
  }
  const missing = (["id", "type", "timestamp"] as const)
    .map((name) => about.envelope[name])
    .filter((pointer) => typeof valueAt(value, pointer) !== "string")
    .map((pointer) => ({
      pointer,
      message: "must be text: the profile's envelope requires it here",
    }));
  const data = judgeData(value, { row, envelope: about.envelope });
  return { by: data.by, faults: [...missing, ...data.faults] };
}

function judgeData(
  value: unknown,
  { row, envelope }: { row: NamedEvent | undefined; envelope: About["envelope"] },
): Judged {
  const verdicts = [...new Set((row?.kinds ?? []).map((kind) => kind.split(".")[0] ?? ""))].flatMap(
    (resource) => judgeAs(resource, dataIn(value, { row, envelope })),
  );
  const best = verdicts.find(({ faults }) => faults.length === 0) ?? verdicts[0];
  if (best === undefined) {
    return { by: "the profile's envelope; this page does not validate its data", faults: [] };
  }
  const faults = best.faults.map((fault) => ({
    ...fault,
    pointer: `${envelope.data}${fault.pointer}`,
  }));
  return {
    by: `the profile's envelope and the schema of ${best.by}`,
    faults,
  };
}

function judgeAs(resource: string, data: unknown): Judged[] {
  const check = checks[resource];
  if (check === undefined) return [];
  const judged = check.writer(data);
  // A profile may add values to lists that are open for readers.
  const fits =
    judged.ok ||
    (judged.errors.every(({ keyword }) => keyword === "enum") && check.reader(data).ok);
  return [{ by: check.name, faults: fits || judged.ok ? [] : judged.errors }];
}

/** Returns the data without the members that the envelope adds to it. */
function dataIn(
  value: unknown,
  { row, envelope }: { row: NamedEvent | undefined; envelope: About["envelope"] },
): unknown {
  const data = valueAt(value, envelope.data);
  if (typeof data !== "object" || data === null) return data;
  const { id, type, timestamp, category, data: at } = envelope;
  const beside = [id, type, timestamp, category ?? "", ...besideSubjects(row)]
    .filter((pointer) => pointer.slice(0, pointer.lastIndexOf("/")) === at)
    .map((pointer) => pointer.slice(at.length + 1));
  const members = Object.entries(data).filter(([name]) => !beside.includes(name));
  // The profile may omit it if the schema has null (S 2.2).
  const filled = row?.kinds.some((kind) => kind.startsWith("refund."))
    ? { clientReferenceId: null }
    : {};
  return { ...filled, ...Object.fromEntries(members) };
}

/** Members that resources have, so that the envelope adds none. */
const own = ["id", "paymentId", "customerId"];

/** Pointers to what the envelope adds if the resource has no id at the subject's place. */
function besideSubjects(row: NamedEvent | undefined): string[] {
  return (row?.subjects ?? []).flatMap((pointer) => {
    const cut = pointer.lastIndexOf("/");
    const beside = pointer.slice(0, cut);
    return own.includes(pointer.slice(cut + 1))
      ? []
      : [pointer, `${beside}/resourceType`, `${beside}/paymentType`];
  });
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
