// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checks } from "../../checks/checks.js";
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
import { reader, type Validator } from "../validator.ts";

export const validateEventEnvelope: Validator<EventEnvelope> = reader(checks.EventEnvelope);
export const validateAccountDetails: Validator<AccountDetails> = reader(checks.AccountDetails);
export const validateAmount: Validator<Amount> = reader(checks.Amount);
export const validateCustomer: Validator<Customer> = reader(checks.Customer);
export const validateErrorCode: Validator<ErrorCode> = reader(checks.ErrorCode);
export const validateErrorDetails: Validator<ErrorDetails> = reader(checks.ErrorDetails);
export const validateFlatError: Validator<FlatError> = reader(checks.FlatError);
export const validateIdentifier: Validator<Identifier> = reader(checks.Identifier);
export const validateLinkedAccount: Validator<LinkedAccount> = reader(checks.LinkedAccount);
export const validatePayment: Validator<Payment> = reader(checks.Payment);
export const validateProblem: Validator<Problem> = reader(checks.Problem);
export const validateRefundRequest: Validator<RefundRequest> = reader(checks.RefundRequest);
export const validateRefund: Validator<Refund> = reader(checks.Refund);
export const validateSubscribeRequest: Validator<SubscribeRequest> = reader(checks.SubscribeRequest);
export const validateSubscribeResponse: Validator<SubscribeResponse> = reader(checks.SubscribeResponse);
export const validateSubscriptionDetails: Validator<SubscriptionDetails> = reader(checks.SubscriptionDetails);
export const validateTimestamp: Validator<Timestamp> = reader(checks.Timestamp);
export const validateTokenError: Validator<TokenError> = reader(checks.TokenError);
export const validateTokenRequest: Validator<TokenRequest> = reader(checks.TokenRequest);
export const validateTokenResponse: Validator<TokenResponse> = reader(checks.TokenResponse);
export const validateUnsubscribeRequest: Validator<UnsubscribeRequest> = reader(checks.UnsubscribeRequest);
export const validateUnsubscribeResponse: Validator<UnsubscribeResponse> = reader(checks.UnsubscribeResponse);
