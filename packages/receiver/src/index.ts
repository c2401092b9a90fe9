export type { AnswersAttempts } from "./adapters/answer.ts";
export { createReceiver, type EventsByName, type Receiver } from "./create-receiver.ts";
export type * from "./inbox/inbox.ts";
export { memoryInbox, type MemoryInboxOptions } from "./inbox/memory.ts";
export type { MistakeCode, MistakeError } from "./mistake.ts";
export {
  type Backoff,
  exponentialBackoff,
  type ExponentialBackoffOptions,
  type GivenSecret,
  type ReceiverOptions,
  type Replay,
  type SecretsRequest,
  type TenantSecrets,
  type WorkerOptions,
} from "./options.ts";
export type { Attempt, BodyErrorCode, BodyLimits, BodyReader } from "./pipeline/body.ts";
export { amountCents, type EventFacts, type UnknownEvent } from "./pipeline/event.ts";
export type { FailureLogger } from "./pipeline/failure-log.ts";
export {
  countOutcomes,
  type OutcomeCounters,
  type OutcomeCounts,
  type OutcomeFacts,
  type WorkerFacts,
} from "./pipeline/observe.ts";
export type {
  EventIdentity,
  FailureCode,
  Outcome,
  ReceiverResponse,
  RejectionCode,
  RejectionDetail,
  RejectionFacts,
} from "./pipeline/outcome.ts";
export { eventOf } from "./pipeline/outcome.ts";
export type { ReceiverLimits } from "./pipeline/parts.ts";
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
  type VerifyEventCode,
  type VerifyEventOptions,
  verifyEvents,
} from "./verify-event.ts";
