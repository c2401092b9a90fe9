// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { JudgedSchema } from "../judge.ts";
import * as schemas from "./schemas.ts";

export type { JudgedSchema } from "../judge.ts";

/** The schemas of the standard profile's events, by type. */
export const eventSchemas: Readonly<Record<string, JudgedSchema>> = {
  "payment.created": schemas.PaymentCreatedEvent,
  "payment.authorized": schemas.PaymentAuthorizedEvent,
  "payment.succeeded": schemas.PaymentSucceededEvent,
  "payment.failed": schemas.PaymentFailedEvent,
  "payment.canceled": schemas.PaymentCanceledEvent,
  "refund.pending": schemas.RefundPendingEvent,
  "refund.authorized": schemas.RefundAuthorizedEvent,
  "refund.failed": schemas.RefundFailedEvent,
  "customer.created": schemas.CustomerCreatedEvent,
  "customer.activated": schemas.CustomerActivatedEvent,
  "customer.deactivated": schemas.CustomerDeactivatedEvent,
  "account.linked": schemas.AccountLinkedEvent,
  "account.updated": schemas.AccountUpdatedEvent,
  "account.deactivated": schemas.AccountDeactivatedEvent,
};
