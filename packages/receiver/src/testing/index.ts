export { type EventArbitraries, eventArbitraries } from "./event-arbitraries.ts";
export {
  type EventFactories,
  eventFactories,
  type EventFactoriesOptions,
  type EventFactory,
  type Overrides,
} from "./event-factories.ts";
export { expectHandled } from "./expect-handled.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export {
  type InboxCheck,
  inboxConformance,
  type InboxConformanceOptions,
  type InboxPart,
} from "./inbox-conformance.ts";
export { type SignedAttempt, signedAttempt, type SignedAttemptOptions } from "./signed-attempt.ts";
