// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checks } from "./reader-checks.ts";
import type {
  EventEnvelope,
  AccountDetails,
  Amount,
  Customer,
  ErrorCode,
  ErrorDetails,
  FlatError,
  Identifier,
  LinkedAccount,
  Payment,
  Problem,
  RefundRequest,
  Refund,
  SubscribeRequest,
  SubscribeResponse,
  SubscriptionDetails,
  Timestamp,
  TokenError,
  TokenRequest,
  TokenResponse,
  UnsubscribeRequest,
  UnsubscribeResponse,
} from "./types.ts";
import { toValidator, type Validator } from "../validator.ts";

export const validateEventEnvelope: Validator<EventEnvelope> = toValidator(checks.EventEnvelope);
export const validateAccountDetails: Validator<AccountDetails> = toValidator(checks.AccountDetails);
export const validateAmount: Validator<Amount> = toValidator(checks.Amount);
export const validateCustomer: Validator<Customer> = toValidator(checks.Customer);
export const validateErrorCode: Validator<ErrorCode> = toValidator(checks.ErrorCode);
export const validateErrorDetails: Validator<ErrorDetails> = toValidator(checks.ErrorDetails);
export const validateFlatError: Validator<FlatError> = toValidator(checks.FlatError);
export const validateIdentifier: Validator<Identifier> = toValidator(checks.Identifier);
export const validateLinkedAccount: Validator<LinkedAccount> = toValidator(checks.LinkedAccount);
export const validatePayment: Validator<Payment> = toValidator(checks.Payment);
export const validateProblem: Validator<Problem> = toValidator(checks.Problem);
export const validateRefundRequest: Validator<RefundRequest> = toValidator(checks.RefundRequest);
export const validateRefund: Validator<Refund> = toValidator(checks.Refund);
export const validateSubscribeRequest: Validator<SubscribeRequest> = toValidator(checks.SubscribeRequest);
export const validateSubscribeResponse: Validator<SubscribeResponse> = toValidator(checks.SubscribeResponse);
export const validateSubscriptionDetails: Validator<SubscriptionDetails> = toValidator(checks.SubscriptionDetails);
export const validateTimestamp: Validator<Timestamp> = toValidator(checks.Timestamp);
export const validateTokenError: Validator<TokenError> = toValidator(checks.TokenError);
export const validateTokenRequest: Validator<TokenRequest> = toValidator(checks.TokenRequest);
export const validateTokenResponse: Validator<TokenResponse> = toValidator(checks.TokenResponse);
export const validateUnsubscribeRequest: Validator<UnsubscribeRequest> = toValidator(checks.UnsubscribeRequest);
export const validateUnsubscribeResponse: Validator<UnsubscribeResponse> = toValidator(checks.UnsubscribeResponse);
