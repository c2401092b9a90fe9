// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { Catalogue } from "../catalogue.ts";
import { toValidator } from "../validator.ts";
import { checks } from "./event-checks.ts";
import type { EventTypeMap } from "./types.ts";

/** The events of the standard profile. */
export const standardCatalogue: Catalogue<EventTypeMap> = {
  name: "standard",
  events: {
    "payment.created": {
      category: "PAYMENT",
      validate: toValidator(checks.PaymentCreatedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 0,
    },
    "payment.authorized": {
      category: "PAYMENT",
      validate: toValidator(checks.PaymentAuthorizedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 1,
    },
    "payment.succeeded": {
      category: "PAYMENT",
      validate: toValidator(checks.PaymentSucceededEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 2,
    },
    "payment.failed": {
      category: "PAYMENT",
      validate: toValidator(checks.PaymentFailedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 3,
    },
    "payment.canceled": {
      category: "PAYMENT",
      validate: toValidator(checks.PaymentCanceledEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 3,
    },
    "refund.pending": {
      category: "PAYMENT",
      validate: toValidator(checks.RefundPendingEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 0,
    },
    "refund.authorized": {
      category: "PAYMENT",
      validate: toValidator(checks.RefundAuthorizedEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 1,
    },
    "refund.failed": {
      category: "PAYMENT",
      validate: toValidator(checks.RefundFailedEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 2,
    },
    "customer.created": {
      category: "CUSTOMER",
      validate: toValidator(checks.CustomerCreatedEvent),
      amounts: [],
      resource: "/data/id",
      rank: 0,
    },
    "customer.activated": {
      category: "CUSTOMER",
      validate: toValidator(checks.CustomerActivatedEvent),
      amounts: [],
      resource: "/data/id",
    },
    "customer.deactivated": {
      category: "CUSTOMER",
      validate: toValidator(checks.CustomerDeactivatedEvent),
      amounts: [],
      resource: "/data/id",
    },
    "account.linked": {
      category: "ACCOUNT",
      validate: toValidator(checks.AccountLinkedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
    "account.updated": {
      category: "ACCOUNT",
      validate: toValidator(checks.AccountUpdatedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
    "account.deactivated": {
      category: "ACCOUNT",
      validate: toValidator(checks.AccountDeactivatedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
  },
};
