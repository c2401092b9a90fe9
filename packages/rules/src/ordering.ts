/** A state of one resource, as an event reports it. */
export interface ResourceState {
  /** The event's type, which names the state. */
  readonly type: string;
  /** When the event happened, in ms. */
  readonly timestamp: number;
  /** Progress of the state in the resource's life, if its type has a rank. */
  readonly rank?: number | undefined;
}

export type StateOrder = "older" | "same" | "newer" | "contradictory";

/**
 * Compares two states of one resource: by rank if both have one, because senders' clocks disagree, else by timestamp.
 * At the same rank or time, two events of one type are the same state, and two of different types contradict each other.
 */
export function compareStates({
  first,
  second,
}: Readonly<Record<"first" | "second", ResourceState>>): StateOrder {
  const distance =
    first.rank !== undefined && second.rank !== undefined
      ? second.rank - first.rank
      : second.timestamp - first.timestamp;
  if (distance > 0) return "newer";
  if (distance < 0) return "older";
  return first.type === second.type ? "same" : "contradictory";
}
