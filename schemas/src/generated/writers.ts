// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checks } from "./writer-checks.ts";
import type {
  AccountDeactivatedEvent,
  AccountLinkedEvent,
  AccountUpdatedEvent,
  CustomerActivatedEvent,
  CustomerCreatedEvent,
  CustomerDeactivatedEvent,
  EventEnvelope,
  WebhookEvent,
  PaymentAuthorizedEvent,
  PaymentCanceledEvent,
  PaymentCreatedEvent,
  PaymentFailedEvent,
  PaymentSucceededEvent,
  RefundAuthorizedEvent,
  RefundFailedEvent,
  RefundPendingEvent,
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

export const validateAccountDeactivatedEvent: Validator<AccountDeactivatedEvent> = toValidator(checks.AccountDeactivatedEvent);
export const validateAccountLinkedEvent: Validator<AccountLinkedEvent> = toValidator(checks.AccountLinkedEvent);
export const validateAccountUpdatedEvent: Validator<AccountUpdatedEvent> = toValidator(checks.AccountUpdatedEvent);
export const validateCustomerActivatedEvent: Validator<CustomerActivatedEvent> = toValidator(checks.CustomerActivatedEvent);
export const validateCustomerCreatedEvent: Validator<CustomerCreatedEvent> = toValidator(checks.CustomerCreatedEvent);
export const validateCustomerDeactivatedEvent: Validator<CustomerDeactivatedEvent> = toValidator(checks.CustomerDeactivatedEvent);
export const validateEventEnvelope: Validator<EventEnvelope> = toValidator(checks.EventEnvelope);
export const validateEvent: Validator<WebhookEvent> = toValidator(checks.WebhookEvent);
export const validatePaymentAuthorizedEvent: Validator<PaymentAuthorizedEvent> = toValidator(checks.PaymentAuthorizedEvent);
export const validatePaymentCanceledEvent: Validator<PaymentCanceledEvent> = toValidator(checks.PaymentCanceledEvent);
export const validatePaymentCreatedEvent: Validator<PaymentCreatedEvent> = toValidator(checks.PaymentCreatedEvent);
export const validatePaymentFailedEvent: Validator<PaymentFailedEvent> = toValidator(checks.PaymentFailedEvent);
export const validatePaymentSucceededEvent: Validator<PaymentSucceededEvent> = toValidator(checks.PaymentSucceededEvent);
export const validateRefundAuthorizedEvent: Validator<RefundAuthorizedEvent> = toValidator(checks.RefundAuthorizedEvent);
export const validateRefundFailedEvent: Validator<RefundFailedEvent> = toValidator(checks.RefundFailedEvent);
export const validateRefundPendingEvent: Validator<RefundPendingEvent> = toValidator(checks.RefundPendingEvent);
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
