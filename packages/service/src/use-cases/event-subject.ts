import type { EventKind } from "../policy.ts";

/** What an event is about, for envelopes that say it outside the resource. */
export interface EventSubject {
  readonly id: unknown;
  readonly type: "payment" | "customer";
  /** The direction of a payment: `CREDIT` is a refund. */
  readonly paymentType?: "DEBIT" | "CREDIT";
}

/** @param data The resource of the kind. An account's subject is its customer. */
export function subjectOf(kind: EventKind, data: object): EventSubject {
  const members: Partial<Record<string, unknown>> = { ...data };
  switch (kind) {
    case "payment.created":
    case "payment.authorized":
    case "payment.succeeded":
    case "payment.failed":
    case "payment.canceled":
      return { id: members["paymentId"], type: "payment", paymentType: "DEBIT" };
    case "refund.pending":
    case "refund.authorized":
    case "refund.failed":
      return { id: members["paymentId"], type: "payment", paymentType: "CREDIT" };
    case "account.linked":
    case "account.updated":
    case "account.deactivated":
      return { id: members["customerId"], type: "customer" };
    case "customer.created":
    case "customer.activated":
    case "customer.deactivated":
      return { id: members["id"], type: "customer" };
    default:
      return kind satisfies never;
  }
}
