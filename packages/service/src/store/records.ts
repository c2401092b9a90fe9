import type { Selection } from "@countersign/rules";

/** Who a call acts for, and the clock that its rows follow. */
export interface Merchant {
  readonly id: string;
  /** `live` is real time; the sandbox gives each namespace a clock of its own. */
  readonly clockId: string;
}

export interface ClientRecord {
  readonly id: string;
  readonly merchantId: string;
  /** SHA-256 of the client's secret, hexadecimal. */
  readonly secretHash: string;
  readonly scopes: readonly string[];
}

export interface TokenRecord {
  readonly merchant: Merchant;
  readonly clientId: string | null;
  readonly scopes: readonly string[];
  /** Real time in milliseconds, exclusive; `null` never expires. */
  readonly expiresAt: number | null;
}

export type CustomerStatus = "CREATED" | "ACTIVE" | "INACTIVE";

export interface CustomerRecord {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly status: CustomerStatus;
  readonly createdAt: number;
}

export interface AccountRecord {
  readonly id: string;
  readonly customerId: string;
  readonly institution: string;
  readonly lastFour: string;
  readonly type: string;
  readonly status: string;
  readonly preferred: boolean;
  readonly createdAt: number;
}

/** A debit's status. The last two are failures; a failed debit never succeeds again. */
export type DebitStatus = "CREATED" | "AUTHORIZED" | "SUCCEEDED" | "TERMINAL_FAILED" | "CANCELED";
export type RefundStatus = "PENDING" | "AUTHORIZED" | "TERMINAL_FAILED";

interface PaymentBase {
  readonly id: string;
  readonly merchantId: string;
  readonly clockId: string;
  readonly customerId: string;
  readonly amountCents: bigint;
  readonly requestKey: string;
  readonly clientReferenceId: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  /** Milliseconds of the row's clock, as every time of a record. */
  readonly createdAt: number;
}

export interface DebitRecord extends PaymentBase {
  readonly direction: "DEBIT";
  readonly status: DebitStatus;
  /** What PENDING and AUTHORIZED refunds of it add up to. */
  readonly reservedCents: bigint;
  /** The merchant was paid although the customer was not debited. */
  readonly covered: boolean;
  readonly settledAt: number | null;
  readonly failedAt: number | null;
}

export interface RefundRecord extends PaymentBase {
  readonly direction: "CREDIT";
  readonly status: RefundStatus;
  readonly originalId: string;
  readonly softDescriptor: string | null;
  /** When a PENDING refund becomes AUTHORIZED; `null` until its debit has settled, and afterwards. */
  readonly dueAt: number | null;
}

/** One record type for both directions (S 2.2: "Payment record fields: not shown"). */
export type PaymentRecord = DebitRecord | RefundRecord;

export type SubscriptionStatus = "ACTIVE" | "PAUSED" | "CLOSED";

export interface SubscriptionRecord {
  readonly key: string;
  readonly url: string;
  readonly selection: Selection;
  readonly status: SubscriptionStatus;
}

/** An event as it is stored; `payload` is the very text that is signed and sent. */
export interface EventRecord {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly payload: string;
  readonly createdAt: number;
}
