// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checks } from "../../checks/checks.js";
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
import { writer, type Validator } from "../validator.ts";

export const validateAccountDeactivatedEvent: Validator<AccountDeactivatedEvent> = writer(checks.AccountDeactivatedEvent);
export const validateAccountLinkedEvent: Validator<AccountLinkedEvent> = writer(checks.AccountLinkedEvent);
export const validateAccountUpdatedEvent: Validator<AccountUpdatedEvent> = writer(checks.AccountUpdatedEvent);
export const validateCustomerActivatedEvent: Validator<CustomerActivatedEvent> = writer(checks.CustomerActivatedEvent);
export const validateCustomerCreatedEvent: Validator<CustomerCreatedEvent> = writer(checks.CustomerCreatedEvent);
export const validateCustomerDeactivatedEvent: Validator<CustomerDeactivatedEvent> = writer(checks.CustomerDeactivatedEvent);
export const validateEventEnvelope: Validator<EventEnvelope> = writer(checks.EventEnvelope);
export const validateEvent: Validator<WebhookEvent> = writer(checks.WebhookEvent);
export const validatePaymentAuthorizedEvent: Validator<PaymentAuthorizedEvent> = writer(checks.PaymentAuthorizedEvent);
export const validatePaymentCanceledEvent: Validator<PaymentCanceledEvent> = writer(checks.PaymentCanceledEvent);
export const validatePaymentCreatedEvent: Validator<PaymentCreatedEvent> = writer(checks.PaymentCreatedEvent);
export const validatePaymentFailedEvent: Validator<PaymentFailedEvent> = writer(checks.PaymentFailedEvent);
export const validatePaymentSucceededEvent: Validator<PaymentSucceededEvent> = writer(checks.PaymentSucceededEvent);
export const validateRefundAuthorizedEvent: Validator<RefundAuthorizedEvent> = writer(checks.RefundAuthorizedEvent);
export const validateRefundFailedEvent: Validator<RefundFailedEvent> = writer(checks.RefundFailedEvent);
export const validateRefundPendingEvent: Validator<RefundPendingEvent> = writer(checks.RefundPendingEvent);
export const validateAccountDetails: Validator<AccountDetails> = writer(checks.AccountDetails);
export const validateAmount: Validator<Amount> = writer(checks.Amount);
export const validateCustomer: Validator<Customer> = writer(checks.Customer);
export const validateErrorCode: Validator<ErrorCode> = writer(checks.ErrorCode);
export const validateErrorDetails: Validator<ErrorDetails> = writer(checks.ErrorDetails);
export const validateFlatError: Validator<FlatError> = writer(checks.FlatError);
export const validateIdentifier: Validator<Identifier> = writer(checks.Identifier);
export const validateLinkedAccount: Validator<LinkedAccount> = writer(checks.LinkedAccount);
export const validatePayment: Validator<Payment> = writer(checks.Payment);
export const validateProblem: Validator<Problem> = writer(checks.Problem);
export const validateRefundRequest: Validator<RefundRequest> = writer(checks.RefundRequest);
export const validateRefund: Validator<Refund> = writer(checks.Refund);
export const validateSubscribeRequest: Validator<SubscribeRequest> = writer(checks.SubscribeRequest);
export const validateSubscribeResponse: Validator<SubscribeResponse> = writer(checks.SubscribeResponse);
export const validateSubscriptionDetails: Validator<SubscriptionDetails> = writer(checks.SubscriptionDetails);
export const validateTimestamp: Validator<Timestamp> = writer(checks.Timestamp);
export const validateTokenError: Validator<TokenError> = writer(checks.TokenError);
export const validateTokenRequest: Validator<TokenRequest> = writer(checks.TokenRequest);
export const validateTokenResponse: Validator<TokenResponse> = writer(checks.TokenResponse);
export const validateUnsubscribeRequest: Validator<UnsubscribeRequest> = writer(checks.UnsubscribeRequest);
export const validateUnsubscribeResponse: Validator<UnsubscribeResponse> = writer(checks.UnsubscribeResponse);
