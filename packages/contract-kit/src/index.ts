export {
  levels,
  requirements,
  requirementVersions,
  type CheckOf,
  type Finding,
  type Level,
  type Requirement,
  type Verdict,
} from "./check.ts";
export { providerChecks, receiverChecks } from "./checks.ts";
export type { EffectsSource } from "./harness/effects.ts";
export { hostReceiver } from "./harness/hosted-receiver.ts";
export { checkOwned, TargetNotOwnedError } from "./harness/owned-host.ts";
export { probeProvider, TargetUnusableError } from "./harness/provider-states.ts";
export { readSamples } from "./harness/read-samples.ts";
export { receiverTarget } from "./harness/receiver-target.ts";
export {
  clientToken,
  httpSend,
  pacedSend,
  type HttpAnswer,
  type HttpCall,
  type Send,
} from "./http-send.ts";
export { run, type Report, type RunOptions } from "./run.ts";
export type { ProviderTarget, ReceiverTarget, Target } from "./target.ts";
