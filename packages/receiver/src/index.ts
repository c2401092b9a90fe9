export { abortDelivery, type AbortableCode } from "./abort-delivery.ts";
export type { AnswersAttempts } from "./adapters/answers-attempts.ts";
export { amountCents } from "./amount.ts";
export {
  type Backoff,
  exponentialBackoff,
  type ExponentialBackoffOptions,
} from "./inbox/backoff.ts";
export {
  createReceiver,
  type EventsByName,
  type Receiver,
  type UntypedEvents,
} from "./create-receiver.ts";
export type { UnknownEvent } from "./envelope.ts";
export type { ContextOf, Handler, HandlerContext, TransactionalContext } from "./handler.ts";
export type {
  BeginRequest,
  Claim,
  ClaimRequest,
  Commit,
  Completion,
  DeadEvent,
  EventKey,
  EventResource,
  Failure,
  Inbox,
  InboxQueue,
  InboxTransaction,
  RecordedEvent,
  Settlement,
  Stored,
  StoreRequest,
  TakenEvent,
  TakeRequest,
  TransactionalInbox,
} from "./inbox/inbox.ts";
export { memoryInbox, type MemoryInboxOptions } from "./inbox/memory.ts";
export type {
  EventTypes,
  OutcomeFacts,
  ReceiverOptions,
  SecretsAnswer,
  SecretsRequest,
  WorkerOptions,
} from "./options.ts";
export type {
  EventIdentity,
  FailureCode,
  Outcome,
  RejectionCode,
  RejectionDetail,
} from "./outcome.ts";
export { countOutcomes, type OutcomeCounters, type OutcomeCounts } from "./outcome-counters.ts";
export type { BodyErrorCode, BodyLimits, BodyReader } from "./read-body.ts";
export type { Attempt } from "./receive.ts";
export type { ReceiverLimits } from "./receiver-parts.ts";
export { defaultRespond, type ReceiverResponse, type Respond } from "./respond.ts";
export { OUTCOME_CHANNEL, type OutcomeReport } from "./watch.ts";
export type { WorkerFacts } from "./inbox/worker.ts";
export type {
  AccountDeactivatedEvent,
  AccountDetails,
  AccountLinkedEvent,
  AccountUpdatedEvent,
  Amount,
  Catalogue,
  CatalogueEntry,
  Customer,
  CustomerActivatedEvent,
  CustomerCreatedEvent,
  CustomerDeactivatedEvent,
  ErrorDetails,
  EventCategory,
  EventType,
  EventTypeMap,
  LinkedAccount,
  Payment,
  PaymentAuthorizedEvent,
  PaymentCanceledEvent,
  PaymentCreatedEvent,
  PaymentFailedEvent,
  PaymentSucceededEvent,
  Profile,
  Refund,
  RefundAuthorizedEvent,
  RefundFailed,
  RefundFailedEvent,
  RefundInitiated,
  RefundPendingEvent,
  SchemaError,
  Validation,
  Validator,
  WebhookEvent,
} from "@countersign/schemas";
export { profiles } from "@countersign/schemas/profiles";
