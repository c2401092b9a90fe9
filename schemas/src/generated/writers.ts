// Generated from schemas/ by `pnpm generate`. Do not edit.
import * as schemas from "./schemas.ts";
import type { EventEnvelope, AccountDetails, Amount, Customer, ErrorCode, ErrorDetails, FlatError, Identifier, LinkedAccount, Payment, Problem, RefundRequest, Refund, SubscribeRequest, SubscribeResponse, SubscriptionDetails, Timestamp, TokenError, TokenRequest, TokenResponse, UnsubscribeRequest, UnsubscribeResponse, PaymentCreatedEvent, PaymentAuthorizedEvent, PaymentSucceededEvent, PaymentFailedEvent, PaymentCanceledEvent, RefundPendingEvent, RefundAuthorizedEvent, RefundFailedEvent, CustomerCreatedEvent, CustomerActivatedEvent, CustomerDeactivatedEvent, AccountLinkedEvent, AccountUpdatedEvent, AccountDeactivatedEvent, WebhookEvent } from "./types.ts";
import { byTag, writer, type Validator } from "../validator.ts";

export const validateEventEnvelope: Validator<EventEnvelope> = /* @__PURE__ */ writer(schemas.EventEnvelope);
export const validateAccountDetails: Validator<AccountDetails> = /* @__PURE__ */ writer(schemas.AccountDetails);
export const validateAmount: Validator<Amount> = /* @__PURE__ */ writer(schemas.Amount);
export const validateCustomer: Validator<Customer> = /* @__PURE__ */ writer(schemas.Customer);
export const validateErrorCode: Validator<ErrorCode> = /* @__PURE__ */ writer(schemas.ErrorCode);
export const validateErrorDetails: Validator<ErrorDetails> = /* @__PURE__ */ writer(schemas.ErrorDetails);
export const validateFlatError: Validator<FlatError> = /* @__PURE__ */ writer(schemas.FlatError);
export const validateIdentifier: Validator<Identifier> = /* @__PURE__ */ writer(schemas.Identifier);
export const validateLinkedAccount: Validator<LinkedAccount> = /* @__PURE__ */ writer(schemas.LinkedAccount);
export const validatePayment: Validator<Payment> = /* @__PURE__ */ writer(schemas.Payment);
export const validateProblem: Validator<Problem> = /* @__PURE__ */ writer(schemas.Problem);
export const validateRefundRequest: Validator<RefundRequest> = /* @__PURE__ */ writer(schemas.RefundRequest);
export const validateRefund: Validator<Refund> = /* @__PURE__ */ writer(schemas.Refund);
export const validateSubscribeRequest: Validator<SubscribeRequest> = /* @__PURE__ */ writer(schemas.SubscribeRequest);
export const validateSubscribeResponse: Validator<SubscribeResponse> = /* @__PURE__ */ writer(schemas.SubscribeResponse);
export const validateSubscriptionDetails: Validator<SubscriptionDetails> = /* @__PURE__ */ writer(schemas.SubscriptionDetails);
export const validateTimestamp: Validator<Timestamp> = /* @__PURE__ */ writer(schemas.Timestamp);
export const validateTokenError: Validator<TokenError> = /* @__PURE__ */ writer(schemas.TokenError);
export const validateTokenRequest: Validator<TokenRequest> = /* @__PURE__ */ writer(schemas.TokenRequest);
export const validateTokenResponse: Validator<TokenResponse> = /* @__PURE__ */ writer(schemas.TokenResponse);
export const validateUnsubscribeRequest: Validator<UnsubscribeRequest> = /* @__PURE__ */ writer(schemas.UnsubscribeRequest);
export const validateUnsubscribeResponse: Validator<UnsubscribeResponse> = /* @__PURE__ */ writer(schemas.UnsubscribeResponse);
export const validatePaymentCreatedEvent: Validator<PaymentCreatedEvent> = /* @__PURE__ */ writer(schemas.PaymentCreatedEvent);
export const validatePaymentAuthorizedEvent: Validator<PaymentAuthorizedEvent> = /* @__PURE__ */ writer(schemas.PaymentAuthorizedEvent);
export const validatePaymentSucceededEvent: Validator<PaymentSucceededEvent> = /* @__PURE__ */ writer(schemas.PaymentSucceededEvent);
export const validatePaymentFailedEvent: Validator<PaymentFailedEvent> = /* @__PURE__ */ writer(schemas.PaymentFailedEvent);
export const validatePaymentCanceledEvent: Validator<PaymentCanceledEvent> = /* @__PURE__ */ writer(schemas.PaymentCanceledEvent);
export const validateRefundPendingEvent: Validator<RefundPendingEvent> = /* @__PURE__ */ writer(schemas.RefundPendingEvent);
export const validateRefundAuthorizedEvent: Validator<RefundAuthorizedEvent> = /* @__PURE__ */ writer(schemas.RefundAuthorizedEvent);
export const validateRefundFailedEvent: Validator<RefundFailedEvent> = /* @__PURE__ */ writer(schemas.RefundFailedEvent);
export const validateCustomerCreatedEvent: Validator<CustomerCreatedEvent> = /* @__PURE__ */ writer(schemas.CustomerCreatedEvent);
export const validateCustomerActivatedEvent: Validator<CustomerActivatedEvent> = /* @__PURE__ */ writer(schemas.CustomerActivatedEvent);
export const validateCustomerDeactivatedEvent: Validator<CustomerDeactivatedEvent> = /* @__PURE__ */ writer(schemas.CustomerDeactivatedEvent);
export const validateAccountLinkedEvent: Validator<AccountLinkedEvent> = /* @__PURE__ */ writer(schemas.AccountLinkedEvent);
export const validateAccountUpdatedEvent: Validator<AccountUpdatedEvent> = /* @__PURE__ */ writer(schemas.AccountUpdatedEvent);
export const validateAccountDeactivatedEvent: Validator<AccountDeactivatedEvent> = /* @__PURE__ */ writer(schemas.AccountDeactivatedEvent);
/** Judges an event of any type of the standard profile. */
export const validateEvent: Validator<WebhookEvent> = /* @__PURE__ */ byTag<WebhookEvent>("type", {
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
