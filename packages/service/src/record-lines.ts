import { parseAmount, readJson } from "@countersign/rules";
import type { Customer, Payment, Validation } from "@countersign/schemas";
import { validateCustomer, validatePayment } from "@countersign/schemas/writers";
import { memberCodeOfJson, memberCodes } from "./error-codes.ts";
import { membersOf } from "./http/body.ts";
import { acceptMembers, faultAt } from "./http/members.ts";
import { Refused, type MemberError } from "./http/problem.ts";
import type { Policy } from "./profile/policy.ts";
import type { CustomerImport, PaymentImport } from "./use-cases/import-records.ts";
import { writtenTime } from "./use-cases/resources.ts";

export interface LineOptions {
  readonly policy: Policy;
  /** Milliseconds since 1970; times in a line are not later. */
  readonly now: number;
}

export type LineReading<T> =
  | { readonly ok: true; readonly record: T }
  /** One error a member; a line that is not JSON has one error with the empty pointer. */
  | { readonly ok: false; readonly errors: readonly MemberError[] };

const customerMembers = [
  "id",
  "firstName",
  "lastName",
  "email",
  "customerStatus",
  "accountDetails",
];
const accountMembers = ["financialInstitutionName", "accountLastFourDigits", "accountType"];
const paymentMembers = ["paymentId", "customerId", "amount", "requestKey", "clientReferenceId"];
const stateMembers = ["paymentStatus", "creationDate", "settlementDate"];

/**
 * Reads a customer of an import: a JSON object with the members of the resource (S 2.3) that this service does not
 * write itself. `id`, names and `email` are required; the status is CREATED by default.
 */
export function readCustomerLine(
  line: Uint8Array,
  options: LineOptions,
): LineReading<CustomerImport> {
  return readLine<Customer, CustomerImport>(line, options, ({ value, creationDate }) => {
    const members = membersOf(value);
    const account = membersOf(members["accountDetails"]);
    const made = { accountStatus: "ACTIVE", preferred: true, creationDate };
    const isLinked = members["accountDetails"] !== undefined;
    const accountDetails = isObject(members["accountDetails"])
      ? { ...account, ...made }
      : members["accountDetails"];
    const customerStatus = members["customerStatus"] ?? "CREATED";
    const resource = { ...members, customerStatus, creationDate };
    const validation = validateCustomer(isLinked ? { ...resource, accountDetails } : resource);
    const more = [
      ...unknownMembers(members, customerMembers, ""),
      ...unknownMembers(account, accountMembers, "/accountDetails"),
    ];
    return {
      validation,
      more,
      record: ({
        id,
        firstName,
        lastName,
        email,
        accountDetails: linked,
        customerStatus: status,
      }) => ({
        id,
        firstName,
        lastName,
        email,
        status,
        ...(linked !== undefined && {
          account: {
            institution: linked.financialInstitutionName,
            lastFour: linked.accountLastFourDigits,
            type: linked.accountType,
          },
        }),
      }),
    };
  });
}

/**
 * Reads a payment of an import: a JSON object with the members of the payment record, and its `requestKey`.
 * `customerId`, `amount` and `requestKey` are required. The status is CREATED by default, `creationDate` is
 * `settlementDate` or now, `settlementDate` of a SUCCEEDED payment is now.
 */
export function readPaymentLine(
  line: Uint8Array,
  options: LineOptions,
): LineReading<PaymentImport> {
  const { policy, now } = options;
  return readLine<Payment, PaymentImport>(line, options, ({ value, numbers, creationDate }) => {
    const { requestKey, ...members } = membersOf(value);
    const verdict = parseAmount(numbers.get("/amount/value") ?? "");
    const { minimumCents, maximumCents } = policy.amount;
    const isAmount = verdict.ok && verdict.cents >= minimumCents && verdict.cents <= maximumCents;
    const status = debitStatuses.find((one) => one === (members["paymentStatus"] ?? "CREATED"));
    const made = members["creationDate"] ?? members["settlementDate"] ?? creationDate;
    const validation = validatePayment({
      paymentId: "made",
      paymentStatus: "CREATED",
      clientReferenceId: null,
      ...members,
      creationDate: made,
      direction: "DEBIT",
      covered: false,
    });
    const { settlementDate } = members;
    const more: MemberError[] = [
      ...unknownMembers(membersOf(value), [...paymentMembers, ...stateMembers], ""),
      ...keyErrors(requestKey),
      ...(isAmount
        ? []
        : [faultAt({ policy, endpoints: noEndpoints }, "/amount/value", "INVALID_AMOUNT")]),
      ...(status === undefined
        ? [invalid("/paymentStatus", `must be one of ${debitStatuses.join(", ")}`)]
        : []),
      ...timeErrors(made, "/creationDate", { from: EARLIEST, to: now }),
      ...timeErrors(settlementDate, "/settlementDate", {
        from: instantOf(made) ?? EARLIEST,
        to: now,
      }),
    ];
    if (settlementDate !== undefined && status !== "SUCCEEDED") {
      more.push(fault("/settlementDate", "CONTRADICTION", "only a SUCCEEDED payment has one"));
    }
    return {
      validation,
      more,
      record: (payment) => ({
        ...(members["paymentId"] !== undefined && { id: payment.paymentId }),
        customerId: payment.customerId,
        amountCents: verdict.ok ? verdict.cents : 0n,
        requestKey: String(requestKey),
        ...(payment.clientReferenceId !== null && { clientReferenceId: payment.clientReferenceId }),
        createdAt: Date.parse(payment.creationDate),
        status: status ?? "CREATED",
        ...(payment.settlementDate !== undefined && {
          settledAt: Date.parse(payment.settlementDate),
        }),
      }),
    };
  });
}

// No line has a URL.
const noEndpoints = { allowLoopback: false };

const debitStatuses = [
  "CREATED",
  "AUTHORIZED",
  "SUCCEEDED",
  "TERMINAL_FAILED",
  "CANCELED",
] as const;
/** The bank calendars begin later than any debit that can still be refunded. */
const EARLIEST = Date.UTC(2000, 0);

interface Judged<R, T> {
  readonly validation: Validation<R>;
  readonly more: readonly MemberError[];
  /** Is called only if nothing is wrong. */
  readonly record: (resource: R) => T;
}

interface Parsed {
  readonly value: unknown;
  readonly numbers: ReadonlyMap<string, string>;
  /** Now, for the members that the service writes. */
  readonly creationDate: string;
}

function readLine<R, T>(
  line: Uint8Array,
  { policy, now }: LineOptions,
  judge: (parsed: Parsed) => Judged<R, T>,
): LineReading<T> {
  const json = readJson(line, { depth: policy.limits.depth, numbers: "all" });
  if (!json.ok) {
    const code = memberCodeOfJson[json.code];
    return { ok: false, errors: [fault("", code, memberCodes[code].meaning)] };
  }
  if (!isObject(json.value)) return { ok: false, errors: [invalid("", "must be a JSON object")] };
  const { value, numbers } = json;
  const { validation, more, record } = judge({ value, numbers, creationDate: writtenTime(now) });
  try {
    const wording = { policy, endpoints: noEndpoints };
    return { ok: true, record: record(acceptMembers(wording, { body: value, validation, more })) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, errors: error.refusal.errors ?? [] };
    throw error;
  }
}

function keyErrors(requestKey: unknown): MemberError[] {
  if (requestKey === undefined) return [fault("/requestKey", "MISSING_MEMBER", "is required")];
  if (typeof requestKey === "string" && /^[\x20-\x7E]{1,255}$/.test(requestKey)) return [];
  return [invalid("/requestKey", "must be 1 to 255 printable ASCII characters")];
}

function instantOf(value: unknown): number | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** A time of another form is the schema's to judge. */
function timeErrors(
  value: unknown,
  pointer: string,
  { from, to }: { readonly from: number; readonly to: number },
): MemberError[] {
  const at = instantOf(value);
  if (at === undefined || (at >= from && at <= to)) return [];
  return [invalid(pointer, `must be from ${writtenTime(from)} to now`)];
}

function unknownMembers(members: object, known: readonly string[], at: string): MemberError[] {
  const unknown = Object.keys(members).filter((name) => !known.includes(name));
  return unknown.map((name) => {
    const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
    return fault(`${at}/${token}`, "UNKNOWN_MEMBER", "is not a member of this record");
  });
}

const invalid = (pointer: string, message: string): MemberError =>
  fault(pointer, "INVALID_VALUE", message);

function fault(pointer: string, code: MemberError["code"], message: string): MemberError {
  return { pointer, code, message };
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
