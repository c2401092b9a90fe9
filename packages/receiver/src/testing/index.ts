export {
  expectHandled,
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
