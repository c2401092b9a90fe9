export {
  levels,
  requirements,
  roles,
  requirementVersions,
  type CheckOf,
  type Finding,
  type Level,
  type Requirement,
  type Verdict,
} from "./check.ts";
export { providerChecks, receiverChecks, senderChecks } from "./checks.ts";
export type { EffectsSource } from "./harness/effects.ts";
export { hostReceiver } from "./harness/endpoints.ts";
export { checkOwned, TargetNotOwnedError } from "./harness/owned-host.ts";
export { readSamples } from "./harness/read-samples.ts";
export { type ReceiverTarget, receiverTarget } from "./harness/receiver-target.ts";
export { probeProvider, TargetUnusableError } from "./provider/provider-states.ts";
export {
  clientToken,
  httpSend,
  pacedSend,
  type HttpAnswer,
  type HttpCall,
  type Send,
} from "./http-send.ts";
export { run, type Report, type RunOptions } from "./run.ts";
export { openSender } from "./sender/open-sender.ts";
export type {
  CommandFacts,
  ProviderTarget,
  SenderCommands,
  SenderTarget,
  Target,
} from "./target.ts";
