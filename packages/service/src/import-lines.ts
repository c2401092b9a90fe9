import { readJson } from "@countersign/rules";
import { memberCodeOfJson, memberCodes } from "./error-codes.ts";
import type { MemberError } from "./http/problem.ts";
import {
  amount,
  flag,
  integer,
  invalid,
  isObject,
  list,
  object,
  oneOf,
  optional,
  text,
  timeBetween,
  type Reader,
} from "./http/readers.ts";
import type { Policy } from "./profile/policy.ts";
import type { DebitStatus } from "./store/tables/payments.ts";

export interface MerchantRecord {
  readonly kind: "merchant";
  readonly id: string;
  readonly name: string;
}

export interface ClientRecord {
  readonly kind: "client";
  readonly merchantId: string;
  readonly id: string;
  /** Default: all of the profile. */
  readonly scopes?: readonly string[];
  /** A version above the stored one gives the client a new secret. Default 1. */
  readonly secretVersion?: number;
  /** Hours for which the old secret stays valid. Default 24. */
  readonly overlapHours?: number;
  /** True refuses its secrets and tokens from now on, for good. */
  readonly disabled?: boolean;
}

/** Members of the resource (S 2.3). */
export interface CustomerRecord {
  readonly kind: "customer";
  readonly merchantId: string;
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  /** Default: CREATED for a new customer, else as it is. */
  readonly customerStatus?: "CREATED" | "ACTIVE" | "INACTIVE";
  /** Payments need one. */
  readonly accountDetails?: {
    readonly financialInstitutionName: string;
    readonly accountLastFourDigits: string;
    readonly accountType: string;
  };
}

/** Members of the payment record, with times in milliseconds and the amount in cents. */
export interface PaymentRecord {
  readonly kind: "payment";
  readonly merchantId: string;
  /** Default: a new one. */
  readonly paymentId?: string;
  readonly customerId: string;
  readonly amount: bigint;
  readonly requestKey: string;
  readonly clientReferenceId?: string;
  /** Default: CREATED for a new payment, else as it is. */
  readonly paymentStatus?: DebitStatus;
  /** Default: `settlementDate`, else now. */
  readonly creationDate?: number;
  /** Default: now, if the payment is SUCCEEDED. */
  readonly settlementDate?: number;
}

/** A record of an import. */
export type ImportRecord = MerchantRecord | ClientRecord | CustomerRecord | PaymentRecord;

/** A record with the number of its line, from 1. */
export interface NumberedRecord {
  readonly line: number;
  readonly record: ImportRecord;
}

/** An error of a line. */
export interface LineError {
  readonly line: number;
  readonly code: string;
  /** JSON Pointer (RFC 6901) of the member; empty for the line itself. */
  readonly pointer: string;
  readonly message: string;
}

interface LineOptions {
  readonly policy: Policy;
  /** Milliseconds since 1970; times in a line are not later. */
  readonly now: number;
}

/** Reads the lines of an import: a JSON object each; blank lines are skipped. Reports every error. */
export function readImportLines(
  bytes: Uint8Array,
  options: LineOptions,
): { readonly records: readonly NumberedRecord[]; readonly errors: readonly LineError[] } {
  const read = recordReader(options);
  const records: NumberedRecord[] = [];
  const errors: LineError[] = [];
  let line = 0;
  for (let from = 0; from < bytes.length;) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline < 0 ? bytes.length : newline;
    const bytesOfLine = bytes.subarray(from, end);
    from = end + 1;
    line += 1;
    if (bytesOfLine.every((byte) => BLANKS.includes(byte))) continue;
    const found: MemberError[] = [];
    const record = readLine(bytesOfLine, read, { policy: options.policy, errors: found });
    if (record !== undefined && found.length === 0) records.push({ line, record });
    for (const error of found) errors.push({ line, ...error });
  }
  return { records, errors };
}

const BLANKS: readonly number[] = [0x20, 0x09, 0x0d];

function readLine(
  line: Uint8Array,
  read: Reader<ImportRecord>,
  { policy, errors }: { readonly policy: Policy; readonly errors: MemberError[] },
): ImportRecord | undefined {
  const json = readJson(line, { depth: policy.limits.depth, numbers: "all" });
  if (!json.ok) {
    const code = memberCodeOfJson[json.code];
    errors.push({ pointer: "", code, message: memberCodes[code].meaning });
    return undefined;
  }
  // No line has a URL.
  const context = { policy, endpoints: { allowLoopback: false } };
  return read(json.value, { pointer: "", numbers: json.numbers, context, errors });
}

const identifier = text(64, { pattern: /^[\w-]+$/, words: "characters of A-Z, a-z, 0-9, _ and -" });
const printable = (max: number): Reader<string> =>
  text(max, { pattern: /^\P{Cc}+$/u, words: "characters, none of them a control character" });
/** The bank calendars begin later than any debit that can still be refunded. */
const EARLIEST = Date.UTC(2000, 0);

/** Returns the reader of a line: its `kind` decides on the other members. */
function recordReader({ policy, now }: LineOptions): Reader<ImportRecord> {
  const past = timeBetween(EARLIEST, now, "from 2000 to now");
  const scopes = Object.values(policy.token.scopes);
  const payment = object({
    kind: oneOf("payment"),
    merchantId: identifier,
    paymentId: optional(identifier),
    customerId: identifier,
    amount,
    requestKey: text(255, { pattern: /^[\x20-\x7E]+$/, words: "printable ASCII characters" }),
    clientReferenceId: optional(printable(255)),
    paymentStatus: optional(
      oneOf("CREATED", "AUTHORIZED", "SUCCEEDED", "TERMINAL_FAILED", "CANCELED"),
    ),
    creationDate: optional(past),
    settlementDate: optional(past),
  });
  const kinds: Readonly<Record<ImportRecord["kind"], Reader<ImportRecord>>> = {
    merchant: object({ kind: oneOf("merchant"), id: identifier, name: printable(100) }),
    client: object({
      kind: oneOf("client"),
      merchantId: identifier,
      id: identifier,
      scopes: optional(list(oneOf(...scopes), scopes.length, 1)),
      secretVersion: optional(integer(1, 1_000_000)),
      overlapHours: optional(integer(0, 2160)),
      disabled: optional(flag),
    }),
    customer: object({
      kind: oneOf("customer"),
      merchantId: identifier,
      id: identifier,
      firstName: printable(255),
      lastName: printable(255),
      email: text(254, { pattern: /^[^@\s]+@[^@\s]+$/, words: "characters, as local@domain" }),
      customerStatus: optional(oneOf("CREATED", "ACTIVE", "INACTIVE")),
      accountDetails: optional(
        object({
          financialInstitutionName: printable(255),
          accountLastFourDigits: text(4, { min: 4, pattern: /^\d{4}$/, words: "digits" }),
          accountType: oneOf(...policy.account.types),
        }),
      ),
    }),
    payment: (value, place) => {
      const record = payment(value, place);
      const isSettled = record?.paymentStatus === "SUCCEEDED";
      if (record?.settlementDate === undefined || isSettled) return record;
      const message = "only a SUCCEEDED payment has one";
      place.errors.push({ pointer: "/settlementDate", code: "CONTRADICTION", message });
      return undefined;
    },
  };
  const kind = oneOf("merchant", "client", "customer", "payment");
  return (value, place) => {
    if (!isObject(value)) return invalid(place, "must be a JSON object");
    const named = kind(value["kind"], { ...place, pointer: "/kind" });
    return named === undefined ? undefined : kinds[named](value, place);
  };
}
