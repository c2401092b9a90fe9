import { readJson } from "@countersign/rules";
import type { AccountDetails, Customer } from "@countersign/schemas";
import { memberCodeOfJson, memberCodes } from "./error-codes.ts";
import { isObject } from "./http/body.ts";
import type { MemberError } from "./http/problem.ts";
import {
  amount,
  flag,
  integer,
  invalid,
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

interface OfMerchant<Kind extends string> {
  readonly kind: Kind;
  readonly merchantId: string;
}

export interface ClientLine extends OfMerchant<"client"> {
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

/** Members of the resource (S 2.3). Default status: CREATED for a new customer, else as it is. */
export interface CustomerLine
  extends
    OfMerchant<"customer">,
    Pick<Customer, "id" | "firstName" | "lastName" | "email">,
    Partial<Pick<Customer, "customerStatus">> {
  /** Payments need one. */
  readonly accountDetails?: Pick<
    AccountDetails,
    "financialInstitutionName" | "accountLastFourDigits" | "accountType"
  >;
}

/** Members of the payment record, with times in milliseconds and the amount in cents. */
export interface PaymentLine extends OfMerchant<"payment"> {
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

export type ImportRecord =
  | { readonly kind: "merchant"; readonly id: string; readonly name: string }
  | ClientLine
  | CustomerLine
  | PaymentLine;

/** A record with the number of its line, from 1. */
export interface NumberedRecord {
  readonly line: number;
  readonly record: ImportRecord;
}

/** An error of a line. An empty pointer is the line itself. */
export interface LineError extends Omit<MemberError, "code"> {
  readonly line: number;
  readonly code: string;
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
  const { policy } = options;
  const read = recordReader(options);
  const records: NumberedRecord[] = [];
  const errors: LineError[] = [];
  // Bytes in Latin-1: a line that is not UTF-8 is an error of that line.
  for (const [index, bare] of Buffer.from(bytes).toString("latin1").split("\n").entries()) {
    if (/^[ \t\r]*$/.test(bare)) continue;
    const line = index + 1;
    const json = readJson(Buffer.from(bare, "latin1"), {
      depth: policy.limits.depth,
      numbers: "all",
    });
    if (!json.ok) {
      const code = memberCodeOfJson(json.code);
      errors.push({ line, pointer: "", code, message: memberCodes[code].meaning });
      continue;
    }
    const found: MemberError[] = [];
    // No line has a URL.
    const context = { policy, endpoints: { allowLoopback: false } };
    const place = { pointer: "", numbers: json.numbers, context, errors: found };
    const record = read(json.value, place);
    if (record !== undefined && found.length === 0) records.push({ line, record });
    for (const error of found) errors.push({ line, ...error });
  }
  return { records, errors };
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
