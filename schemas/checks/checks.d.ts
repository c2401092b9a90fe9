// Generated from schemas/ by `pnpm generate`. Do not edit.
import type { RawValidator } from "../src/validator.ts";
export declare const checks: {
  readonly EventEnvelope: RawValidator;
  readonly AccountDetails: RawValidator;
  readonly Amount: RawValidator;
  readonly Customer: RawValidator;
  readonly ErrorCode: RawValidator;
  readonly ErrorDetails: RawValidator;
  readonly FlatError: RawValidator;
  readonly Identifier: RawValidator;
  readonly LinkedAccount: RawValidator;
  readonly Payment: RawValidator;
  readonly Problem: RawValidator;
  readonly RefundRequest: RawValidator;
  readonly Refund: RawValidator;
  readonly SubscribeRequest: RawValidator;
  readonly SubscribeResponse: RawValidator;
  readonly SubscriptionDetails: RawValidator;
  readonly Timestamp: RawValidator;
  readonly TokenError: RawValidator;
  readonly TokenRequest: RawValidator;
  readonly TokenResponse: RawValidator;
  readonly UnsubscribeRequest: RawValidator;
  readonly UnsubscribeResponse: RawValidator;
};
