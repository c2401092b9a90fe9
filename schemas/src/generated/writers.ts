// Generated from schemas/ by `pnpm generate`. Do not edit.
import { checks } from "../../checks/checks.js";
import { checks as checks2 } from "../../checks/event-checks.js";
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
  PaymentCreatedEvent,
  PaymentAuthorizedEvent,
  PaymentSucceededEvent,
  PaymentFailedEvent,
  PaymentCanceledEvent,
  RefundPendingEvent,
  RefundAuthorizedEvent,
  RefundFailedEvent,
  CustomerCreatedEvent,
  CustomerActivatedEvent,
  CustomerDeactivatedEvent,
  AccountLinkedEvent,
  AccountUpdatedEvent,
  AccountDeactivatedEvent,
  WebhookEvent,
} from "./types.ts";
import { byTag, writer, type Validator } from "../validator.ts";

export const validateEventEnvelope: Validator<EventEnvelope> = writer(checks.EventEnvelope);
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
export const validatePaymentCreatedEvent: Validator<PaymentCreatedEvent> = writer(checks2.PaymentCreatedEvent);
export const validatePaymentAuthorizedEvent: Validator<PaymentAuthorizedEvent> = writer(checks2.PaymentAuthorizedEvent);
export const validatePaymentSucceededEvent: Validator<PaymentSucceededEvent> = writer(checks2.PaymentSucceededEvent);
export const validatePaymentFailedEvent: Validator<PaymentFailedEvent> = writer(checks2.PaymentFailedEvent);
export const validatePaymentCanceledEvent: Validator<PaymentCanceledEvent> = writer(checks2.PaymentCanceledEvent);
export const validateRefundPendingEvent: Validator<RefundPendingEvent> = writer(checks2.RefundPendingEvent);
export const validateRefundAuthorizedEvent: Validator<RefundAuthorizedEvent> = writer(checks2.RefundAuthorizedEvent);
export const validateRefundFailedEvent: Validator<RefundFailedEvent> = writer(checks2.RefundFailedEvent);
export const validateCustomerCreatedEvent: Validator<CustomerCreatedEvent> = writer(checks2.CustomerCreatedEvent);
export const validateCustomerActivatedEvent: Validator<CustomerActivatedEvent> = writer(checks2.CustomerActivatedEvent);
export const validateCustomerDeactivatedEvent: Validator<CustomerDeactivatedEvent> = writer(checks2.CustomerDeactivatedEvent);
export const validateAccountLinkedEvent: Validator<AccountLinkedEvent> = writer(checks2.AccountLinkedEvent);
export const validateAccountUpdatedEvent: Validator<AccountUpdatedEvent> = writer(checks2.AccountUpdatedEvent);
export const validateAccountDeactivatedEvent: Validator<AccountDeactivatedEvent> = writer(checks2.AccountDeactivatedEvent);
/** Judges an event of any type of the standard profile. */
export const validateEvent: Validator<WebhookEvent> = byTag<WebhookEvent>("type", {
  "payment.created": validatePaymentCreatedEvent,
  "payment.authorized": validatePaymentAuthorizedEvent,
  "payment.succeeded": validatePaymentSucceededEvent,
  "payment.failed": validatePaymentFailedEvent,
  "payment.canceled": validatePaymentCanceledEvent,
  "refund.pending": validateRefundPendingEvent,
  "refund.authorized": validateRefundAuthorizedEvent,
  "refund.failed": validateRefundFailedEvent,
  "customer.created": validateCustomerCreatedEvent,
  "customer.activated": validateCustomerActivatedEvent,
  "customer.deactivated": validateCustomerDeactivatedEvent,
  "account.linked": validateAccountLinkedEvent,
  "account.updated": validateAccountUpdatedEvent,
  "account.deactivated": validateAccountDeactivatedEvent,
});
