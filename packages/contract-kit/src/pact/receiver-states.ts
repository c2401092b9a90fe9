/**
 * The states of `merchant-receiver` that its pacts name. A receiver has nothing to be moved by: a state
 * says how the attempt is signed and what was sent before. Each gives `eventId`, an id that is new.
 */
export const receiverStates = [
  "a genuine attempt",
  "an attempt without a signature",
  "an attempt signed with another secret",
  "an attempt whose body was changed after signing",
  "an attempt whose id was changed after signing",
  "an attempt that is too old",
  "an attempt from the future",
  "an attempt at the edge of the tolerance",
  "an attempt signed with two secrets",
  "an attempt of an event that was acknowledged",
  "an attempt with the id of another event",
] as const;

export type ReceiverState = (typeof receiverStates)[number];
