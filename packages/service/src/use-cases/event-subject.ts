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
  const [family] = kind.split(".");
  switch (family) {
    case "payment":
      return { id: members["paymentId"], type: "payment", paymentType: "DEBIT" };
    case "refund":
      return { id: members["paymentId"], type: "payment", paymentType: "CREDIT" };
    case "account":
      return { id: members["customerId"], type: "customer" };
    default:
      return { id: members["id"], type: "customer" };
  }
}
