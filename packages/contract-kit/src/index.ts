export type { Check, CheckContext, CheckOf, ProviderCheck, ReceiverCheck } from "./check.ts";
export { checks, providerChecks } from "./checks.ts";
export type { Evidence, Exchange, Finding, Replay, Verdict } from "./finding.ts";
export { httpSend, type HttpSendOptions } from "./http-send.ts";
export type { HttpAnswer, HttpCall, Send } from "./http.ts";
export type { Effect, Effects } from "./harness/effects.ts";
export { receiverChecks } from "./checks/receiver/receiver-checks.ts";
export { readSamples } from "./harness/samples.ts";
export type { Samples } from "./harness/events.ts";
export { receiverTarget, type ReceiverTargetOptions } from "./harness/receiver-target.ts";
export { type Clock, systemClock } from "./harness/clock.ts";
export { TargetNotOwnedError } from "./harness/owned-host.ts";
export { TargetSilentError, type Wire } from "./harness/wire.ts";
export {
  defaultFailOn,
  levels,
  requirements,
  type Level,
  type Requirement,
  type Role,
} from "./requirement.ts";
export { shownBytes } from "./shown-bytes.ts";
export { run, type Report, type RunOptions } from "./run.ts";
export type {
  AnswerAttempt,
  AttemptAnswer,
  HostedReceiver,
  Place,
  ProviderTarget,
  ReceivedAttempt,
  ReceiverTarget,
  StateChanges,
  Target,
  Watch,
} from "./target.ts";
export {
  clientToken,
  pacedSend,
  type ClientTokenOptions,
  type PaceOptions,
} from "./harness/senders.ts";
export { probeProvider, TargetUnusableError } from "./harness/provider-states.ts";
export { checkOwned } from "./harness/owned-host.ts";
export { hostReceiver, type HostOptions } from "./harness/hosted-receiver.ts";
