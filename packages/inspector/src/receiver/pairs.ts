import type { Attempt, Delivery, ToldOutcome } from "../remote/shapes.ts";

export interface Pair {
  readonly key: string;
  readonly delivery: Delivery & { readonly type: string };
  readonly attempt: Attempt;
  readonly outcome: ToldOutcome | undefined;
}

/** Milliseconds by which an outcome may be told before its attempt is recorded as begun. */
const SKEW_MS = 50;

/**
 * Each attempt with the first outcome of its event that was told after it began and before the next attempt
 * did, the newest attempt first.
 */
export function pairs(
  deliveries: readonly (Delivery & { readonly type: string })[],
  outcomes: readonly ToldOutcome[],
): Pair[] {
  const told = Map.groupBy(outcomes, ({ eventId }) => eventId);
  const rows = deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt): Pair => {
      const from = Date.parse(attempt.startedAt) - SKEW_MS;
      const next = delivery.attempts.find(({ number }) => number > attempt.number);
      const to =
        next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next.startedAt) - SKEW_MS;
      const outcome = told
        .get(delivery.eventId)
        ?.findLast(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
      return {
        key: `${delivery.deliveryId} ${String(attempt.number)}`,
        delivery,
        attempt,
        outcome,
      };
    }),
  );
  return rows.toSorted((one, other) =>
    other.attempt.startedAt.localeCompare(one.attempt.startedAt),
  );
}
