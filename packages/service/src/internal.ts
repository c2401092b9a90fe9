// The parts of the service that the sandbox and the command build on, in addition to the public entry. They may
// change in any release.
export * from "./index.ts";

// Running the service
export { memberCodes } from "./error-codes.ts";
export { readImportLines } from "./import-lines.ts";
export { listen } from "./listen.ts";

// Ports and their defaults
export type { LogFields } from "./http/log.ts";
export { newId } from "./random.ts";
export { sha256Hex, SecretRefusedError, type SealedSecret } from "./secrets/vault.ts";

// Secrets at rest
export { checkSecrets } from "./secrets/stored-secrets.ts";

// Store
export { textOf, type Queryable } from "./store/driver.ts";
export { dueInstantOf, instantOf, moveClock } from "./store/tables/clocks.ts";
export {
  findPreferredAccount,
  listCustomers,
  type AccountRecord,
  type CustomerRecord,
  type CustomerStatus,
} from "./store/tables/customers.ts";
export {
  listAttempts,
  listDeliveries,
  type AttemptRow,
  type DeliveryRecord,
  listEvents,
  type EventRecord,
} from "./store/tables/deliveries.ts";
export { findClient, findMerchant, type Merchant } from "./store/tables/merchants.ts";
export {
  findPayment,
  listPayments,
  type DebitRecord,
  type PaymentRecord,
  type RefundRecord,
} from "./store/tables/payments.ts";
export type { Replayed } from "./store/tables/replays.ts";
export {
  listSubscriptionHealth,
  secretPlace,
  type SubscriptionHealth,
} from "./store/tables/subscriptions.ts";
export { findToken } from "./store/tables/tokens.ts";

// Delivery
export { NamespaceClocks } from "./delivery/namespace-clocks.ts";
export { pauseSubscription } from "./delivery/operator.ts";
export { hintAtAnything } from "./delivery/postgres-hints.ts";
export type { DeliveryPolicy } from "./delivery/policy.ts";
export { endpointUrl } from "./delivery/egress/addresses.ts";
export type { Signer } from "./delivery/attempt.ts";
export type { Answer as AttemptAnswer, Completion, PostRequest } from "./delivery/types.ts";

// Use cases and profiles
export { subjectOf, writeEnvelope, type EventKind } from "./profile/envelope.ts";
export { policyOf, type Policy } from "./profile/policy.ts";
export { askRefund } from "./use-cases/ask-refund.ts";
export type { Context } from "./use-cases/context.ts";
export {
  createCustomer,
  deactivateAccount,
  getCustomer,
  linkAccount,
  moveCustomer,
} from "./use-cases/customers.ts";
export { importRecords, type ImportOutcome } from "./use-cases/import-records.ts";
export { createMerchant } from "./use-cases/merchants.ts";
export {
  authorizePayment,
  coverPayment,
  createPayment,
  failPayment,
  settlePayment,
  type MovePaymentOutcome,
} from "./use-cases/payments.ts";
export { moveDueRefunds, returnRefund } from "./use-cases/refunds.ts";
export {
  customerResource,
  linkedAccountResource,
  paymentResource,
  refundResource,
  writtenTime,
} from "./use-cases/resources.ts";
export { subscribe, unsubscribe } from "./use-cases/subscriptions.ts";
export { createToken } from "./use-cases/tokens.ts";
export { writeEvent } from "./use-cases/write-event.ts";

// Documents
export { schemas as interfaceSchemas } from "./documents/generated/schemas.ts";
export { openApiOf } from "./documents/openapi.ts";

// Additional routes
export { problemAnswer, writeAnswer } from "./http/answer.ts";
export type { Routes } from "./http/app.ts";
export { authenticate } from "./http/auth/bearer.ts";
export { RateLimiter } from "./http/limits.ts";
export { faultAt, refuseMembers } from "./http/members.ts";
export {
  amount,
  flag,
  integer,
  invalid,
  isObject,
  list,
  object,
  oneOf,
  optional,
  pointerTo,
  readMembers,
  refuseIfWrong,
  text,
  timeBetween,
  type Members,
  type Place,
  type Reader,
  type Spec,
} from "./http/readers.ts";
export { refuse, Refused, type MemberError } from "./http/problem.ts";
export { TOKEN_BODY_BYTES } from "./http/routes/tokens.ts";
export { pathParameter, type BodyCall, type Call, type Route } from "./http/route.ts";
