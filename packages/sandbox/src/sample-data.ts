import {
  customerResource,
  linkedAccountResource,
  newId,
  paymentResource,
  refundResource,
  type AccountRecord,
  type CustomerRecord,
  type DebitRecord,
  type EventKind,
  type Random,
  type RefundRecord,
} from "@countersign/service";

interface Sampling {
  readonly random: Random;
  /** Instant of the namespace's clock, in milliseconds. */
  readonly at: number;
}

/** What an event of each kind carries, about resources that are in no database. */
export const sampleData: Readonly<Record<EventKind, (sampling: Sampling) => object>> = {
  "payment.created": (sampling) => debit(sampling, { status: "CREATED" }),
  "payment.authorized": (sampling) => debit(sampling, { status: "AUTHORIZED" }),
  "payment.succeeded": (sampling) =>
    debit(sampling, { status: "SUCCEEDED", settledAt: sampling.at }),
  "payment.failed": (sampling) =>
    debit(sampling, { status: "TERMINAL_FAILED", failedAt: sampling.at, ...notDebited }),
  "payment.canceled": (sampling) => debit(sampling, { status: "CANCELED", failedAt: sampling.at }),
  "refund.pending": (sampling) => refund(sampling, { status: "PENDING" }),
  "refund.authorized": (sampling) => refund(sampling, { status: "AUTHORIZED" }),
  "refund.failed": (sampling) => refund(sampling, { status: "TERMINAL_FAILED", ...notDebited }),
  "customer.created": (sampling) => customer(sampling, "CREATED"),
  "customer.activated": (sampling) => customer(sampling, "ACTIVE"),
  "customer.deactivated": (sampling) => customer(sampling, "INACTIVE"),
  "account.linked": (sampling) => account(sampling, "ACTIVE"),
  "account.updated": (sampling) => account(sampling, "ACTIVE"),
  "account.deactivated": (sampling) => account(sampling, "INACTIVE"),
};

const notDebited = {
  errorCode: "CUSTOMER_NOT_DEBITED",
  errorMessage: "The debit was not successful.",
};

function debit({ random, at }: Sampling, change: Partial<DebitRecord>): object {
  const id = newId(random, "pay");
  const record: DebitRecord = {
    id,
    merchantId: "",
    clockId: "",
    customerId: newId(random, "cus"),
    requestKey: id,
    direction: "DEBIT",
    status: "CREATED",
    amountCents: 1050n,
    reservedCents: 0n,
    covered: false,
    clientReferenceId: null,
    errorCode: null,
    errorMessage: null,
    createdAt: at,
    settledAt: null,
    failedAt: null,
    ...change,
  };
  return paymentResource(record);
}

function refund({ random, at }: Sampling, change: Partial<RefundRecord>): object {
  const id = newId(random, "ref");
  const record: RefundRecord = {
    id,
    merchantId: "",
    clockId: "",
    customerId: newId(random, "cus"),
    requestKey: id,
    direction: "CREDIT",
    status: "PENDING",
    originalId: newId(random, "pay"),
    amountCents: 1050n,
    softDescriptor: null,
    clientReferenceId: null,
    dueAt: null,
    errorCode: null,
    errorMessage: null,
    createdAt: at,
    ...change,
  };
  return refundResource(record);
}

function customer(sampling: Sampling, status: CustomerRecord["status"]): object {
  const id = newId(sampling.random, "cus");
  const name = { firstName: "Ada", lastName: "Sample", email: "ada.sample@example.test" };
  const record: CustomerRecord = { id, ...name, status, createdAt: sampling.at };
  const linked = status === "CREATED" ? undefined : accountRecord(sampling, id);
  return customerResource(record, linked);
}

function account(sampling: Sampling, status: string): object {
  const customerId = newId(sampling.random, "cus");
  return linkedAccountResource({ ...accountRecord(sampling, customerId), status });
}

function accountRecord({ random, at }: Sampling, customerId: string): AccountRecord {
  return {
    id: newId(random, "acc"),
    customerId,
    status: "ACTIVE",
    preferred: true,
    institution: "First Sample Bank",
    lastFour: "6789",
    type: "checking",
    createdAt: at,
  };
}
