export type { Check, CheckContext, CheckOf, ProviderCheck, ReceiverCheck } from "./check.ts";
export type { Evidence, Finding, Replay, Verdict } from "./finding.ts";
export { httpSend, type HttpSendOptions } from "./http-send.ts";
export type { HttpAnswer, HttpCall, Send } from "./http.ts";
export type { Requirement, Role } from "./requirement.ts";
export { requirements } from "./requirements.ts";
export { run, type Report, type RunOptions } from "./run.ts";
export type {
  ClockControls,
  EventControls,
  PaymentControls,
  ProviderControls,
  ProviderTarget,
  ReceiverTarget,
  Target,
} from "./target.ts";
