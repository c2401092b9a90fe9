export type { Check, CheckContext, CheckOf, ProviderCheck, ReceiverCheck } from "./check.ts";
export { checks, providerChecks } from "./checks.ts";
export { arbitrary } from "./derive/arbitrary.ts";
export { boundaries } from "./derive/boundary.ts";
export { coverage, pointsOf, type Coverage } from "./derive/coverage.ts";
export { example, examples, type ExampleOptions } from "./derive/example.ts";
export type { Labelled } from "./derive/labelled.ts";
export { matcher, type Matcher } from "./derive/matcher.ts";
export { negatives } from "./derive/negative.ts";
export { OutsideSubsetError } from "./derive/resolve.ts";
export { readSchemaSet, schemaSet, standardSchemas } from "./derive/schema-set.ts";
export type { LocatedSchema, Schema, SchemaSet } from "./derive/schema.ts";
export {
  diffSchemas,
  directionByPath,
  type DiffOptions,
  type SeverityOverrides,
} from "./diff/diff-schemas.ts";
export {
  diffRules,
  type Change,
  type Direction,
  type Rule,
  type RuleId,
  type Severity,
} from "./diff/rules.ts";
export { failureText, type FailureTextOptions } from "./failure-text.ts";
export type { Evidence, Exchange, Finding, Replay, Verdict } from "./finding.ts";
export { httpSend, type HttpSendOptions } from "./http-send.ts";
export type { HttpAnswer, HttpCall, Send } from "./http.ts";
export type { PactBroker } from "./pact/broker.ts";
export { readPacts, type Pact, type PactInteraction, type PactState } from "./pact/pact-file.ts";
export { PactMissingError } from "./pact/pact-missing-error.ts";
export type {
  AskedMessage,
  PactMessage,
  PactProvider,
  PactStateHandler,
} from "./pact/pact-provider.ts";
export * as placeholders from "./pact/placeholders.ts";
export { receiverProvider, type ReceiverProviderOptions } from "./pact/receiver-provider.ts";
export type { ReceiverState } from "./pact/receiver-states.ts";
export { serviceProvider, type ServiceProviderOptions } from "./pact/service-provider.ts";
export type { ServiceStates } from "./pact/service-states.ts";
export {
  verifyPacts,
  type PactResult,
  type PactRow,
  type VerifyPactsOptions,
} from "./pact/verify-pacts.ts";
export { standardPacts } from "./pact/standard-pacts.ts";
export type { AboutOptions, ReportAbout } from "./report/about.ts";
export {
  againstBaseline,
  baselineOf,
  type Baseline,
  type BaselineNews,
  type KnownFailure,
} from "./report/baseline.ts";
export { githubReport } from "./report/github.ts";
export { htmlReport } from "./report/html.ts";
export { jsonReport } from "./report/json.ts";
export { junitReport } from "./report/junit.ts";
export { markdownReport } from "./report/markdown.ts";
export { readBaseline, type BaselineReading } from "./report/read-baseline.ts";
export { redactor } from "./report/redact.ts";
export {
  entryOfFinding,
  reportOfPacts,
  reportOfRun,
  type PactReportOptions,
  type ReportDocument,
  type ReportEntry,
  type RunReportOptions,
  type SkippedRow,
  type UncoveredRequirement,
} from "./report/report-document.ts";
export { terminalEntry, terminalSummary } from "./report/terminal.ts";
export type { Effect, Effects } from "./harness/effects.ts";
export { receiverChecks } from "./checks/receiver/receiver-checks.ts";
export { receiverTarget, type ReceiverTargetOptions } from "./harness/receiver-target.ts";
export { type Clock, systemClock } from "./harness/clock.ts";
export { TargetNotOwnedError } from "./harness/owned-host.ts";
export { TargetSilentError, type Wire } from "./harness/wire.ts";
export type { Requirement, Role } from "./requirement.ts";
export { requirements } from "./requirements.ts";
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
export { providerPacts, type ProviderPactsOptions } from "./checks/provider/pacts.ts";
export { checkOwned } from "./harness/owned-host.ts";
export { hostReceiver, type HostOptions } from "./harness/hosted-receiver.ts";
export { sandboxTarget, type SandboxOptions } from "./harness/sandbox-controls.ts";
