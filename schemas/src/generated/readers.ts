// Generated from schemas/ by `pnpm generate`. Do not edit.
import * as schemas from "./schemas.ts";
import type { EventEnvelope, AccountDetails, Amount, Customer, ErrorCode, ErrorDetails, FlatError, Identifier, LinkedAccount, Payment, Problem, RefundRequest, Refund, SubscribeRequest, SubscribeResponse, SubscriptionDetails, Timestamp, TokenError, TokenRequest, TokenResponse, UnsubscribeRequest, UnsubscribeResponse } from "./types.ts";
import { reader, type Validator } from "../validator.ts";

export const validateEventEnvelope: Validator<EventEnvelope> = /* @__PURE__ */ reader(schemas.EventEnvelope);
export const validateAccountDetails: Validator<AccountDetails> = /* @__PURE__ */ reader(schemas.AccountDetails);
export const validateAmount: Validator<Amount> = /* @__PURE__ */ reader(schemas.Amount);
export const validateCustomer: Validator<Customer> = /* @__PURE__ */ reader(schemas.Customer);
export const validateErrorCode: Validator<ErrorCode> = /* @__PURE__ */ reader(schemas.ErrorCode);
export const validateErrorDetails: Validator<ErrorDetails> = /* @__PURE__ */ reader(schemas.ErrorDetails);
export const validateFlatError: Validator<FlatError> = /* @__PURE__ */ reader(schemas.FlatError);
export const validateIdentifier: Validator<Identifier> = /* @__PURE__ */ reader(schemas.Identifier);
export const validateLinkedAccount: Validator<LinkedAccount> = /* @__PURE__ */ reader(schemas.LinkedAccount);
export const validatePayment: Validator<Payment> = /* @__PURE__ */ reader(schemas.Payment);
export const validateProblem: Validator<Problem> = /* @__PURE__ */ reader(schemas.Problem);
export const validateRefundRequest: Validator<RefundRequest> = /* @__PURE__ */ reader(schemas.RefundRequest);
export const validateRefund: Validator<Refund> = /* @__PURE__ */ reader(schemas.Refund);
export const validateSubscribeRequest: Validator<SubscribeRequest> = /* @__PURE__ */ reader(schemas.SubscribeRequest);
export const validateSubscribeResponse: Validator<SubscribeResponse> = /* @__PURE__ */ reader(schemas.SubscribeResponse);
export const validateSubscriptionDetails: Validator<SubscriptionDetails> = /* @__PURE__ */ reader(schemas.SubscriptionDetails);
export const validateTimestamp: Validator<Timestamp> = /* @__PURE__ */ reader(schemas.Timestamp);
export const validateTokenError: Validator<TokenError> = /* @__PURE__ */ reader(schemas.TokenError);
export const validateTokenRequest: Validator<TokenRequest> = /* @__PURE__ */ reader(schemas.TokenRequest);
export const validateTokenResponse: Validator<TokenResponse> = /* @__PURE__ */ reader(schemas.TokenResponse);
export const validateUnsubscribeRequest: Validator<UnsubscribeRequest> = /* @__PURE__ */ reader(schemas.UnsubscribeRequest);
export const validateUnsubscribeResponse: Validator<UnsubscribeResponse> = /* @__PURE__ */ reader(schemas.UnsubscribeResponse);
