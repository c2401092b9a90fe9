/** A state of one resource, as an event tells it. */
export interface ResourceState {
  /** The event's type, which names the state. */
  readonly type: string;
  /** When the event happened, in ms. */
  readonly timestamp: number;
  /** How far along its life the state stands, where its type has a rank. */
  readonly rank?: number | undefined;
}

export type StateOrder = "older" | "same" | "newer" | "contradictory";

/**
 * How `second` stands to `first`, two states of one resource: by rank where both have one, since
 * clocks of senders disagree, else by timestamp. Equally far along, two events of one type tell the
 * same state and two of different types contradict each other.
 */
export function compareStates({
  first,
  second,
}: {
  readonly first: ResourceState;
  readonly second: ResourceState;
}): StateOrder {
  const distance =
    first.rank !== undefined && second.rank !== undefined
      ? second.rank - first.rank
      : second.timestamp - first.timestamp;
  if (distance > 0) return "newer";
  if (distance < 0) return "older";
  return first.type === second.type ? "same" : "contradictory";
}
