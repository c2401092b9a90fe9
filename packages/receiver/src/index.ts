export type { AnswersAttempts } from "./adapters/answer.ts";
export { createReceiver, type EventsByName, type Receiver } from "./create-receiver.ts";
export type * from "./inbox/inbox.ts";
export type * from "./inbox/transaction.ts";
export { memoryInbox, type MemoryInboxOptions } from "./inbox/memory.ts";
export type { MistakeCode, MistakeError } from "./mistake.ts";
export type {
  Backoff,
  GivenSecret,
  ReceiverOptions,
  Replay,
  SecretsRequest,
  TenantSecrets,
  WorkerOptions,
} from "./options.ts";
export type { Attempt, BodyErrorCode, BodyLimits, BodyReader } from "./pipeline/body.ts";
export { amountCents, type EventFacts, type UnknownEvent } from "./pipeline/event.ts";
export type { FailureLogger } from "./pipeline/failure-log.ts";
export type {
  EventIdentity,
  FailureCode,
  Outcome,
  OutcomeFacts,
  ReceiverResponse,
  RejectionCode,
  RejectionDetail,
  RejectionFacts,
  WorkerFacts,
} from "./pipeline/outcome.ts";
export { eventOf } from "./pipeline/outcome.ts";
export type { ReceiverLimits } from "./pipeline/parts.ts";
export {
  type EventListOptions,
  eventList,
  type ReadList,
  redelivery,
} from "./reconcile/event-list.ts";
export { ListError, type ListErrorCode } from "./reconcile/list-error.ts";
export {
  type CompareOptions,
  compareInbox,
  type Finding,
  type Reconciliation,
  type ReconcileOptions,
} from "./reconcile/reconcile.ts";
export { defaultRespond, type Respond } from "./pipeline/respond.ts";
export type {
  ContextOf,
  Fallback,
  Handler,
  HandlerContext,
  TransactionalContext,
} from "./pipeline/router.ts";
export type * from "@countersign/schemas";
export type { ProviderDocument } from "@countersign/schemas/providers";
export type { EventsOf, TypedProvider, UntypedEvents } from "./provider.ts";
export {
  type EventRequest,
  type GenuineEvent,
  type VerifiedEvent,
  type VerifiedEvents,
  verifyEvent,
  verifyEvents,
  type VerifyEventCode,
  type VerifyEventOptions,
} from "./verify-event.ts";
