export type { CheckOf } from "./check.ts";
export { providerChecks } from "./checks.ts";
export { receiverChecks } from "./checks.ts";
export type { Finding, Verdict } from "./check.ts";
export { hostReceiver } from "./harness/hosted-receiver.ts";
export { checkOwned, TargetNotOwnedError } from "./harness/owned-host.ts";
export { probeProvider, TargetUnusableError } from "./harness/provider-states.ts";
export { readSamples } from "./harness/samples.ts";
export { standardWebhooksEvents } from "./harness/samples.ts";
export { receiverTarget } from "./harness/receiver-target.ts";
export { clientToken, pacedSend } from "./harness/senders.ts";
export { httpSend } from "./http-send.ts";
export type { HttpAnswer, HttpCall, Send } from "./http-send.ts";
export {
  defaultFailOn,
  levels,
  requirements,
  type Level,
  type Requirement,
} from "./requirement.ts";
export { run, type Report, type RunOptions } from "./run.ts";
export type { ProviderTarget, ReceiverTarget, Target } from "./target.ts";
