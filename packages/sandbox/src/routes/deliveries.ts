import {
  faultAt,
  instantOf,
  invalid,
  listDeliveries,
  listEvents,
  listSubscriptionHealth,
  optional,
  pauseSubscription,
  refuseMembers,
  replayDeliveries,
  text,
  writeEvent,
  writtenTime,
  type Call,
  type EventRecord,
  type Reader,
  type Replayed,
  type Routes,
  type SubscriptionHealth,
} from "@countersign/service/internal";
import { refuse } from "../refusals.ts";
import { eventData, sampleData, sampledRow } from "../samples.ts";
import { attemptsByDelivery, shownDelivery, shownEvent, timeOrNull } from "../shown.ts";
import { time } from "../times.ts";
import { get, listed, parameter, post, queryOf } from "./call.ts";

const SUBSCRIPTION = "/sandbox/subscriptions/:subscriptionKey";

const data: Reader<object> = (value, place) =>
  eventData(value, place.numbers, place.pointer) ?? invalid(place, "must be an object");

/** Events, their deliveries and their subscriptions. */
export const deliveryRoutes: Routes = {
  "/sandbox/events": [
    get(async (call) => {
      const events = await listEvents(call.context.driver, listed(call));
      return { events: events.map(shownEvent) };
    }),
    // Writes an event of the catalogue without a cause, and delivers it like any other.
    post(201, { type: text(255), data: optional(data) }, async (call, order) =>
      shownEvent(await writeSample(call, order)),
    ),
  ],
  "/sandbox/deliveries": [
    get(async (call) => {
      const query = queryOf(call);
      const eventId = query.get("eventId") ?? undefined;
      const subscriptionKey = query.get("subscriptionKey") ?? undefined;
      const filter = { ...listed(call), eventId, subscriptionKey };
      return { deliveries: await deliveriesOf(call, filter) };
    }),
  ],
  "/sandbox/deliveries/replay": [
    // Replays every delivery that was given up, of events since a time.
    post(202, { failedSince: time }, (call, { failedSince }) =>
      replay(call, { kind: "failed", since: failedSince }),
    ),
  ],
  "/sandbox/deliveries/:deliveryId/replay": [
    post(202, {}, async (call) => {
      const id = parameter(call, "deliveryId");
      await replay(call, { kind: "delivery", id });
      const [delivery = {}] = await deliveriesOf(call, { ...listed(call), id });
      return delivery;
    }),
  ],
  "/sandbox/subscriptions": [
    get(async (call) => {
      const subscriptions = await listSubscriptionHealth(call.context.driver, listed(call));
      return { subscriptions: subscriptions.map(shownSubscription) };
    }),
  ],
  [`${SUBSCRIPTION}/replay`]: [
    // Replays every delivery of the subscription that is not waiting.
    post(202, {}, (call) =>
      replay(call, { kind: "subscription", id: parameter(call, "subscriptionKey") }),
    ),
  ],
  [`${SUBSCRIPTION}/resume`]: [
    // Resumes a paused subscription and its waiting deliveries.
    post(200, {}, async (call) => {
      const { context, merchant } = call;
      const key = parameter(call, "subscriptionKey");
      const resume = { key, isPaused: false, merchantId: merchant.id };
      const outcome = await pauseSubscription(context, resume);
      if (!outcome.ok) throw refuse(outcome.code);
      const filter = { merchantId: merchant.id, limit: 1000 };
      const all = await listSubscriptionHealth(context.driver, filter);
      const resumed = all.find((one) => one.key === key);
      return resumed === undefined ? {} : shownSubscription(resumed);
    }),
  ],
};

/**
 * Writes an event of the catalogue without a cause. Default data: a sample.
 *
 * @param beforeAttempts Called with the event's id before an attempt can begin.
 */
export async function writeSample(
  { context, merchant }: Pick<Call, "context" | "merchant">,
  order: { readonly type: string; readonly data?: object },
  beforeAttempts?: (eventId: string) => void,
): Promise<EventRecord> {
  const sampled = sampledRow(context.policy.catalogue, order.type);
  if (sampled === undefined) throw refuseMembers([faultAt(context, "/type", "UNKNOWN_EVENT")]);
  const { row, kind } = sampled;
  const event = await context.driver.transaction(async (tx) => {
    const at = await instantOf(tx, context.clock, merchant.clockId);
    const sent = order.data ?? sampleData(sampled, { random: context.random, at });
    // Under the requested name, also one that this service never emits.
    const written = await writeEvent(tx, context, merchant, { kind, row, data: sent, at });
    if (written !== undefined) beforeAttempts?.(written.id);
    return written;
  });
  if (event === undefined) throw new Error("the catalogue's row is not an event");
  return event;
}

async function replay({ context, merchant }: Call, what: Replayed): Promise<object> {
  const order = { what, merchantId: merchant.id };
  const outcome = await replayDeliveries(context, order);
  if (!outcome.ok)
    // The call's merchant exists.
    throw refuse(outcome.code === "MERCHANT_NOT_FOUND" ? "NOT_FOUND" : outcome.code);
  return { replayed: outcome.replayed };
}

async function deliveriesOf(
  { context }: Call,
  filter: Parameters<typeof listDeliveries>[1],
): Promise<object[]> {
  const deliveries = await listDeliveries(context.driver, filter);
  const attempts = await attemptsByDelivery(context.driver, deliveries);
  return deliveries.map((delivery) => shownDelivery(delivery, attempts.get(delivery.id)));
}

/** A subscription as the list shows it: never its secret. */
export function shownSubscription(subscription: SubscriptionHealth): object {
  const { key, url, status, selection, consecutiveFailures } = subscription;
  const parsed: unknown = JSON.parse(selection);
  return {
    subscriptionKey: key,
    url,
    status,
    selection: parsed,
    consecutiveFailures,
    createdAt: writtenTime(subscription.createdAt),
    failingSince: timeOrNull(subscription.failingSince),
    lastSuccessAt: timeOrNull(subscription.lastSuccessAt),
  };
}
