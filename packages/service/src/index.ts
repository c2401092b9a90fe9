// Running the service
export { createService, type Service, type ServiceOptions } from "./create-service.ts";
export { listen, type Listener, type ListenOptions } from "./listen.ts";
export { Metrics, type CallMetrics } from "./http/metrics.ts";
export {
  startService,
  type CloseOptions,
  type RunningService,
  type StartOptions,
  type Worker,
} from "./start-service.ts";
export {
  errorCodes,
  memberCodes,
  type ErrorCode,
  type ErrorCodeEntry,
  type MemberCode,
} from "./error-codes.ts";

// Ports
export { DueClock, systemClock, type Clock } from "./clock.ts";
export { systemRandom, type Random } from "./random.ts";
export { newId, type IdPrefix } from "./ids.ts";
export { sha256Hex } from "./sha256.ts";
export { jsonLogger, type JsonLoggerOptions } from "./http/log.ts";
export type { LogFields, Logger } from "./http/log.ts";
export {
  checkedIssuer,
  issuerAlgorithms,
  type IssuerAlgorithm,
  type TokenIssuer,
} from "./http/auth/outside-tokens.ts";

// Secrets at rest
export {
  parseSecretKeys,
  SecretKeysError,
  SecretRefusedError,
  createVault,
  type SecretKeys,
  type SealedSecret,
  type SecretPlace,
  type Vault,
} from "./secrets/vault.ts";
export { rotateSecrets, checkSecrets } from "./secrets/stored-secrets.ts";
export {
  secretPlace,
  listSubscriptions,
  type SubscriptionRecord,
  type SubscriptionStatus,
} from "./store/tables/subscriptions.ts";

// Store
export {
  StoreUnavailableError,
  textOf,
  type Driver,
  type Queryable,
  type Sql,
  type SqlValue,
} from "./store/driver.ts";
export { migrate, StoreVersionError, type MigrateOptions } from "./store/migrate.ts";
export { postgresDriver } from "./store/postgres/driver.ts";
export type { PostgresOptions } from "./store/postgres/pool.ts";
export { sqliteDriver, type SqliteOptions } from "./store/sqlite/driver.ts";
export {
  findCustomer,
  findPreferredAccount,
  listCustomers,
  type AccountRecord,
  type CustomerRecord,
  type CustomerStatus,
} from "./store/tables/customers.ts";
export {
  findClient,
  findMerchant,
  listClients,
  listMerchants,
  type ClientRecord,
  type ListedMerchant,
  type Merchant,
} from "./store/tables/merchants.ts";
export {
  findPayment,
  listPayments,
  type DebitRecord,
  type DebitStatus,
  type PaymentRecord,
  type RefundRecord,
  type RefundStatus,
} from "./store/tables/payments.ts";
export { listEvents, type EventRecord } from "./store/tables/events.ts";
export { findToken, type TokenRecord } from "./store/tables/tokens.ts";
export { instantOf, moveClock } from "./store/tables/clocks.ts";
export {
  listAttempts,
  listDeliveries,
  type AttemptRow,
  type DeliveryFilter,
  type DeliveryRecord,
} from "./store/tables/deliveries.ts";
export { listSubscriptionHealth, type SubscriptionHealth } from "./store/tables/subscriptions.ts";
export {
  findOwner,
  listReplays,
  listTrail,
  replayDelivery,
  resumeSubscription,
  type Owner,
  type Replay,
  type Replayed,
  type ReplayOutcome,
  type ReplayRecord,
  type Resume,
  type ResumeOutcome,
  type TrailLine,
} from "./store/tables/replays.ts";

// Use cases
export {
  readCustomerLine,
  readPaymentLine,
  type LineOptions,
  type LineReading,
} from "./record-lines.ts";
export type { CustomerImport, ImportOutcome, PaymentImport } from "./use-cases/import-records.ts";
export type { Context } from "./use-cases/context.ts";
export {
  subjectOf,
  type EventKind,
  type EventRow,
  type Policy,
  type EventSubject,
} from "./profile/policy.ts";
export { policyOf } from "./profile/policy-of.ts";
export { useCasesOf, type UseCases } from "./use-cases/use-cases.ts";
export type { MovePaymentOutcome } from "./use-cases/payments.ts";
export type { MovedRefunds, PassedOverRefund } from "./use-cases/refunds.ts";
export { writeEvent, type NewEvent } from "./use-cases/write-event.ts";
export {
  customerResource,
  linkedAccountResource,
  writtenAmount,
  writtenTime,
  paymentResource,
  refundResource,
} from "./use-cases/resources.ts";

// Documents
export { profiledEvents, type ProfiledEvent } from "./documents/event-schemas.ts";
export type { Schema, Schemas } from "./documents/schema.ts";

// Routes beside those of the interface
export { writeAnswer, type Answer } from "./http/answer.ts";
export type { Routes } from "./http/app.ts";
export { authenticate, type Authenticator, type Caller } from "./http/auth/bearer.ts";
export { faultAt, refuseMembers } from "./http/members.ts";
export { pathParameter } from "./http/route.ts";
export { problemAnswer } from "./http/problem.ts";
export { refuse } from "./http/problem.ts";
export { Refused, type MemberError, type Refusal } from "./http/problem.ts";
export type { BodyCall, BodyRoute, Call, GetRoute, JsonBody, Route } from "./http/route.ts";

// Delivery
export { NamespaceClocks, type AdvanceOutcome } from "./delivery/namespace-clocks.ts";
export { DeliveryEngine, type EngineOptions } from "./delivery/engine.ts";
export { undiciTransport, type UndiciTransportOptions } from "./delivery/egress/transport.ts";
export { deliveryPolicyOf, type DeliveryPolicy } from "./delivery/policy.ts";
export {
  replayDeliveries,
  replayForOperator,
  resumeForOperator,
  type OperatorRefusal,
  type OperatorReplay,
  type ReplayRequest,
} from "./delivery/operator.ts";
export { postgresHints, type Hints, type PostgresHintsOptions } from "./delivery/postgres-hints.ts";
export type { Schedule } from "./delivery/schedule.ts";
export { signerOf, type Signer, type SignerOptions } from "./delivery/signer.ts";
export type {
  Answer as AttemptAnswer,
  Completion,
  DeliveryObserver,
  DeliveryStore,
  PostRequest,
  Transport,
  Work,
} from "./delivery/types.ts";
export { DueRefunds, type DueRefundsOptions } from "./due-refunds.ts";
export { deliveryStore } from "./store/tables/delivery-queue.ts";
