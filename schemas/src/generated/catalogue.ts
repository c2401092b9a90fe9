// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { Catalogue } from "../catalogue.ts";
import { reader } from "../validator.ts";
import * as schemas from "./schemas.ts";
import type { EventTypeMap } from "./types.ts";

/** The events of the standard profile. */
export const standardCatalogue: Catalogue<EventTypeMap> = {
  name: "standard",
  events: {
    "payment.created": {
      category: "PAYMENT",
      validate: reader(schemas.PaymentCreatedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 0,
    },
    "payment.authorized": {
      category: "PAYMENT",
      validate: reader(schemas.PaymentAuthorizedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 1,
    },
    "payment.succeeded": {
      category: "PAYMENT",
      validate: reader(schemas.PaymentSucceededEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 2,
    },
    "payment.failed": {
      category: "PAYMENT",
      validate: reader(schemas.PaymentFailedEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 3,
    },
    "payment.canceled": {
      category: "PAYMENT",
      validate: reader(schemas.PaymentCanceledEvent),
      amounts: ["/data/amount/value"],
      resource: "/data/paymentId",
      rank: 3,
    },
    "refund.pending": {
      category: "PAYMENT",
      validate: reader(schemas.RefundPendingEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 0,
    },
    "refund.authorized": {
      category: "PAYMENT",
      validate: reader(schemas.RefundAuthorizedEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 1,
    },
    "refund.failed": {
      category: "PAYMENT",
      validate: reader(schemas.RefundFailedEvent),
      amounts: [],
      resource: "/data/paymentId",
      rank: 2,
    },
    "customer.created": {
      category: "CUSTOMER",
      validate: reader(schemas.CustomerCreatedEvent),
      amounts: [],
      resource: "/data/id",
      rank: 0,
    },
    "customer.activated": {
      category: "CUSTOMER",
      validate: reader(schemas.CustomerActivatedEvent),
      amounts: [],
      resource: "/data/id",
    },
    "customer.deactivated": {
      category: "CUSTOMER",
      validate: reader(schemas.CustomerDeactivatedEvent),
      amounts: [],
      resource: "/data/id",
    },
    "account.linked": {
      category: "ACCOUNT",
      validate: reader(schemas.AccountLinkedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
    "account.updated": {
      category: "ACCOUNT",
      validate: reader(schemas.AccountUpdatedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
    "account.deactivated": {
      category: "ACCOUNT",
      validate: reader(schemas.AccountDeactivatedEvent),
      amounts: [],
      resource: "/data/customerId",
    },
  },
};
