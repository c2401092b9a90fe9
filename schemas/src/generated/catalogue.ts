// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { Catalogue } from "../catalogue.ts";
import { checks } from "../../checks/event-checks.js";
import { reader } from "../validator.ts";
import type { EventTypeMap } from "./types.ts";

/** The events of the standard profile. */
export const standardCatalogue: Catalogue<EventTypeMap> = {
  name: "standard",
  events: {
    "payment.created": {
      category: "PAYMENT",
      validate: reader(checks.PaymentCreatedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 0,
    },
    "payment.authorized": {
      category: "PAYMENT",
      validate: reader(checks.PaymentAuthorizedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 1,
    },
    "payment.succeeded": {
      category: "PAYMENT",
      validate: reader(checks.PaymentSucceededEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 2,
    },
    "payment.failed": {
      category: "PAYMENT",
      validate: reader(checks.PaymentFailedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 3,
    },
    "payment.canceled": {
      category: "PAYMENT",
      validate: reader(checks.PaymentCanceledEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 3,
    },
    "refund.pending": {
      category: "PAYMENT",
      validate: reader(checks.RefundPendingEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 0,
    },
    "refund.authorized": {
      category: "PAYMENT",
      validate: reader(checks.RefundAuthorizedEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 1,
    },
    "refund.failed": {
      category: "PAYMENT",
      validate: reader(checks.RefundFailedEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 2,
    },
    "customer.created": {
      category: "CUSTOMER",
      validate: reader(checks.CustomerCreatedEvent),
      amounts: [],
      resource: "/data/id",
      rank: 0,
    },
    "customer.activated": {
      category: "CUSTOMER",
      validate: reader(checks.CustomerActivatedEvent),
      amounts: [],
      resource: "/data/id",
    },
    "customer.deactivated": {
      category: "CUSTOMER",
      validate: reader(checks.CustomerDeactivatedEvent),
      amounts: [],
      resource: "/data/id",
    },
    "account.linked": {
      category: "ACCOUNT",
      validate: reader(checks.AccountLinkedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
    "account.updated": {
      category: "ACCOUNT",
      validate: reader(checks.AccountUpdatedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
    "account.deactivated": {
      category: "ACCOUNT",
      validate: reader(checks.AccountDeactivatedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
  },
};
