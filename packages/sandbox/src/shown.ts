import {
  listAttempts,
  writtenTime,
  type AttemptRow,
  type DeliveryRecord,
  type EventRecord,
  type Queryable,
} from "@countersign/service/internal";

export const timeOrNull = (at: number | null): string | null =>
  at === null ? null : writtenTime(at);

/** An event as the controls show it. `payload` is exactly the text that is signed and sent. */
export function shownEvent({ id, type, category, payload, createdAt }: EventRecord): object {
  return { id, type, category, timestamp: writtenTime(createdAt), payload };
}

/** A delivery as the controls show it. Times are the namespace's clock's. */
export function shownDelivery(
  delivery: DeliveryRecord,
  attempts: readonly AttemptRow[] = [],
): object {
  const { id, eventId, type, subscriptionKey, state, nextAt, createdAt } = delivery;
  return {
    deliveryId: id,
    eventId,
    type,
    subscriptionKey,
    state,
    createdAt: writtenTime(createdAt),
    nextAttemptAt: timeOrNull(nextAt),
    attempts: attempts.map(shownAttempt),
  };
}

/** An attempt as the controls show it. `startedAt` is real time, as in the signature. */
export function shownAttempt(attempt: AttemptRow): object {
  const { number, startedAt, durationMs, status, error, answer } = attempt;
  return { number, startedAt: writtenTime(startedAt), durationMs, status, error, answer };
}

/** Returns the attempts of deliveries in their order, by the delivery's id. */
export async function attemptsByDelivery(
  db: Queryable,
  deliveries: readonly DeliveryRecord[],
): Promise<ReadonlyMap<string, AttemptRow[]>> {
  const ids = deliveries.map(({ id }) => id);
  return Map.groupBy(await listAttempts(db, ids), ({ deliveryId }) => deliveryId);
}
