export type { Check, CheckContext, CheckOf, ProviderCheck, ReceiverCheck } from "./check.ts";
export { checks, providerChecks } from "./checks.ts";
export type { Evidence, Exchange, Finding, Replay, Verdict } from "./finding.ts";
export { httpSend, type HttpSendOptions } from "./http-send.ts";
export type { HttpAnswer, HttpCall, Send } from "./http.ts";
export type { Effect, Effects } from "./harness/effects.ts";
export { receiverChecks } from "./checks/receiver/receiver-checks.ts";
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
  ClockControls,
  EventControls,
  HostedReceiver,
  PaymentControls,
  Place,
  ProviderControls,
  ProviderTarget,
  ReceivedAttempt,
  ReceiverTarget,
  Target,
  TokenControls,
  Watch,
} from "./target.ts";
export { clientToken, type ClientTokenOptions } from "./harness/client-token.ts";
export {
  controlNames,
  type ControlCall,
  type ControlDocument,
  type ControlName,
} from "./harness/control-file/control-document.ts";
export {
  controlledTarget,
  variablesOf,
  type ControlledOptions,
} from "./harness/control-file/controlled-target.ts";
export { readControl, type ControlReading } from "./harness/control-file/read-control.ts";
export { pacedSend, type PaceOptions } from "./harness/paced-send.ts";
export { checkOwned } from "./harness/owned-host.ts";
export { hostReceiver, type HostOptions } from "./harness/hosted-receiver.ts";
export { sandboxTarget, type SandboxOptions } from "./harness/sandbox-controls.ts";
