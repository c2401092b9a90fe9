export {
  expectHandled,
  type FakeClock,
  fakeClock,
  type SignedAttempt,
  signedAttempt,
  type SignedAttemptOptions,
} from "./attempts.ts";
export {
  type EventFactories,
  eventFactories,
  type EventFactoriesOptions,
  type EventFactory,
  type Overrides,
} from "./event-factories.ts";
export {
  type InboxCheck,
  inboxConformance,
  type InboxConformanceOptions,
  type InboxPart,
} from "./inbox-conformance.ts";
export type { InboxFault } from "./inbox-conformance/faults.ts";
