import {
  writtenTime,
  type AttemptRow,
  type DeliveryRecord,
  type EventRecord,
} from "@countersign/service";

/** An event as the controls show it. `payload` is the very text that is signed and sent. */
export function shownEvent(event: EventRecord): object {
  const { id, type, category, payload, createdAt } = event;
  return { id, type, category, timestamp: writtenTime(createdAt), payload };
}

/** A delivery as the controls show it. Times are the namespace's clock's. */
export function shownDelivery(delivery: DeliveryRecord, attempts: readonly AttemptRow[]): object {
  const { id, eventId, type, subscriptionKey, state, nextAt, createdAt } = delivery;
  return {
    deliveryId: id,
    eventId,
    type,
    subscriptionKey,
    state,
    createdAt: writtenTime(createdAt),
    nextAttemptAt: nextAt === null ? null : writtenTime(nextAt),
    attempts: attempts.map(shownAttempt),
  };
}

/** An attempt as the controls show it. `startedAt` is real time: it is what was signed. */
export function shownAttempt(attempt: AttemptRow): object {
  const { number, startedAt, durationMs, status, error, answer } = attempt;
  return { number, startedAt: writtenTime(startedAt), durationMs, status, error, answer };
}
