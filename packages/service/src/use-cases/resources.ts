import { formatAmount } from "@countersign/rules";
import type {
  AccountDetails,
  Customer,
  LinkedAccount,
  Payment,
  Refund,
} from "@countersign/schemas";
import type { AccountRecord, CustomerRecord } from "../store/tables/customers.ts";
import type { PaymentRecord, RefundRecord } from "../store/tables/payments.ts";

declare global {
  interface JSON {
    /** Text that `stringify` writes unchanged. In V8 since Node 21, not yet in TypeScript's library. */
    rawJSON(text: string): RawJson;
  }
}

/** A number written digit for digit. */
interface RawJson {
  readonly rawJSON: string;
}

/** An amount as this service writes it: always two digits after the separator (S 2.1). */
interface WrittenAmount {
  readonly currency: "USD";
  readonly value: RawJson;
}

/** @param cents 1 to 9,999,999,999. */
function writtenAmount(cents: bigint): WrittenAmount {
  return { currency: "USD", value: JSON.rawJSON(formatAmount(cents)) };
}

/** A time as S 2.3 writes it: UTC with exactly three digits of milliseconds. */
export function writtenTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A customer in the form of S 2.3; without a linked account `accountDetails` is absent. */
export function customerResource(
  customer: CustomerRecord,
  account: AccountRecord | undefined,
): Customer {
  return {
    id: customer.id,
    firstName: customer.firstName,
    lastName: customer.lastName,
    email: customer.email,
    customerStatus: customer.status,
    ...(account && { accountDetails: accountDetails(account) }),
    creationDate: writtenTime(customer.createdAt),
  };
}

/** The resource of account events: the account and its customer's id. */
export function linkedAccountResource(account: AccountRecord): LinkedAccount {
  return { customerId: account.customerId, accountDetails: accountDetails(account) };
}

function accountDetails(account: AccountRecord): AccountDetails {
  return {
    financialInstitutionName: account.institution,
    accountLastFourDigits: account.lastFour,
    accountType: account.type,
    accountStatus: account.status,
    preferred: account.preferred,
    creationDate: writtenTime(account.createdAt),
  };
}

/** A `Payment` on its way into JSON text. */
export type WrittenPayment = Omit<Payment, "amount"> & { readonly amount: WrittenAmount };

/** The public form of a payment record, debit or refund. */
export function paymentResource(payment: PaymentRecord): WrittenPayment {
  const settledAt = payment.direction === "DEBIT" ? payment.settledAt : null;
  return {
    paymentId: payment.id,
    direction: payment.direction,
    ...(payment.direction === "CREDIT" && { originalPaymentId: payment.originalId }),
    customerId: payment.customerId,
    amount: writtenAmount(payment.amountCents),
    paymentStatus: payment.status,
    clientReferenceId: payment.clientReferenceId,
    creationDate: writtenTime(payment.createdAt),
    ...(settledAt !== null && { settlementDate: writtenTime(settledAt) }),
    covered: payment.direction === "DEBIT" && payment.covered,
    ...errorDetails(payment),
  };
}

function errorDetails({ errorCode, errorMessage }: PaymentRecord): Pick<Payment, "errorDetails"> {
  if (errorCode === null || errorMessage === null) return {};
  return { errorDetails: { errorCode, errorMessage } };
}

/** A refund in the form of S 2.2: `errorDetails` only with TERMINAL_FAILED. */
export function refundResource(refund: RefundRecord): Refund {
  const { id: paymentId, clientReferenceId, status: paymentStatus } = refund;
  if (paymentStatus !== "TERMINAL_FAILED") return { paymentId, paymentStatus, clientReferenceId };
  const { errorCode, errorMessage } = refund;
  if (errorCode === null || errorMessage === null) throw new Error(`${paymentId} has no reason`);
  return { paymentId, paymentStatus, clientReferenceId, errorDetails: { errorCode, errorMessage } };
}
