import {
  listAttempts,
  listDeliveries,
  pathParameter,
  refuse,
  writtenTime,
  type AttemptRow,
  type Call,
  type DeliveryRecord,
  type EventRecord,
  type Route,
} from "@countersign/service";
import { shownAttempt, shownDelivery, shownEvent } from "../../shown.ts";
import type { InspectParts } from "../inspect-parts.ts";
import { sentHeaders } from "../sent-headers.ts";
import { keyedSubscriptions, type KeyedSubscription } from "../keyed-subscriptions.ts";

/** Deliveries of one event that are shown. */
const LIMIT = 100;

/** `GET /sandbox/inspect/events/{id}`: an event with its deliveries, attempts as sent, and told outcomes. */
export const getEvent = (parts: InspectParts): Route => ({
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const { context, merchant, request } = call;
    const eventId = pathParameter(request, "eventId") ?? "";
    const [event] = await context.driver.query<EventRecord>(
      `SELECT id, type, category, payload, created_at AS "createdAt" FROM events
        WHERE merchant_id = $1 AND id = $2`,
      [merchant.id, eventId],
    );
    if (event === undefined) throw refuse("NOT_FOUND");
    const merchantId = merchant.id;
    const deliveries = await listDeliveries(context.driver, { merchantId, eventId, limit: LIMIT });
    const attempts = Map.groupBy(
      await listAttempts(
        context.driver,
        deliveries.map(({ id }) => id),
      ),
      ({ deliveryId }) => deliveryId,
    );
    const subscriptions = await keyedSubscriptions(
      context.driver,
      deliveries.map(({ subscriptionKey }) => subscriptionKey),
    );
    const shown = deliveries.map((delivery) =>
      withRequests(parts, {
        event,
        delivery,
        attempts: attempts.get(delivery.id) ?? [],
        subscription: subscriptions.get(delivery.subscriptionKey),
      }),
    );
    return {
      status: 200,
      body: {
        event: shownEvent(event),
        deliveries: shown,
        outcomes: outcomesOf(parts, call, eventId),
      },
    };
  },
});

interface Sent {
  readonly event: EventRecord;
  readonly delivery: DeliveryRecord;
  readonly attempts: readonly AttemptRow[];
  readonly subscription: KeyedSubscription | undefined;
}

function withRequests(parts: InspectParts, sent: Sent): object {
  const { delivery, subscription } = sent;
  return {
    ...shownDelivery(delivery, []),
    url: subscription?.url ?? null,
    attempts: sent.attempts.map((attempt) => ({
      ...shownAttempt(attempt),
      headers:
        subscription === undefined
          ? null
          : sentHeaders(parts, { subscription, event: sent.event, startedAt: attempt.startedAt }),
    })),
  };
}

function outcomesOf({ outcomes }: InspectParts, { merchant }: Call, eventId: string): object[] {
  return outcomes
    .list(merchant.id)
    .filter((told) => told.eventId === eventId)
    .map((told) => ({ ...told, at: writtenTime(told.at) }));
}
