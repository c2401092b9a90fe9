// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { RawValidator } from "../src/validator.ts";
export declare const checks: {
  readonly PaymentCreatedEvent: RawValidator;
  readonly PaymentAuthorizedEvent: RawValidator;
  readonly PaymentSucceededEvent: RawValidator;
  readonly PaymentFailedEvent: RawValidator;
  readonly PaymentCanceledEvent: RawValidator;
  readonly RefundPendingEvent: RawValidator;
  readonly RefundAuthorizedEvent: RawValidator;
  readonly RefundFailedEvent: RawValidator;
  readonly CustomerCreatedEvent: RawValidator;
  readonly CustomerActivatedEvent: RawValidator;
  readonly CustomerDeactivatedEvent: RawValidator;
  readonly AccountLinkedEvent: RawValidator;
  readonly AccountUpdatedEvent: RawValidator;
  readonly AccountDeactivatedEvent: RawValidator;
};
