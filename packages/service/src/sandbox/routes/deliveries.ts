import { pauseSubscription, replayDeliveries } from "../../delivery/operator.ts";
import type { Routes } from "../../http/app.ts";
import { faultAt, refuseMembers } from "../../http/members.ts";
import { invalid, optional, text, type Reader } from "../../http/readers.ts";
import type { Call, Route } from "../../http/route.ts";
import { instantOf } from "../../store/tables/clocks.ts";
import {
  listAttempts,
  listDeliveries,
  listEvents,
  type EventRecord,
} from "../../store/tables/deliveries.ts";
import { countDeliveries } from "../../store/tables/explorer.ts";
import { listSubscriptionHealth } from "../../store/tables/subscriptions.ts";
import { writtenTime } from "../../use-cases/resources.ts";
import { writeEvent } from "../../use-cases/write-event.ts";
import { refuse } from "../refusals.ts";
import { eventData, sampleData, sampledKind, sampledRow } from "../samples.ts";
import { shownAttempt, shownEvent, timeOrNull } from "../shown.ts";
import { get, listed, parameter, post, queryOf } from "./call.ts";

const data: Reader<object> = (value, place) =>
  eventData(value, place.numbers, place.pointer) ?? invalid(place, "must be an object");

const SUBSCRIPTION = "/sandbox/subscriptions/:subscriptionKey";

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
      const { eventId, subscriptionKey } = Object.fromEntries(queryOf(call));
      return { deliveries: await deliveriesOf(call, { eventId, subscriptionKey }) };
    }),
  ],
  "/sandbox/deliveries/:deliveryId/replay": [
    post(202, {}, async (call) => {
      const id = parameter(call, "deliveryId");
      const order = { what: { kind: "delivery", id }, merchantId: call.merchant.id } as const;
      const outcome = await replayDeliveries(call.context, order);
      if (!outcome.ok)
        throw refuse(outcome.code === "MERCHANT_NOT_FOUND" ? "NOT_FOUND" : outcome.code);
      const [delivery = {}] = await deliveriesOf(call, { id });
      return delivery;
    }),
  ],
  "/sandbox/subscriptions": [
    get(async (call) => ({ subscriptions: await subscriptionsOf(call, listed(call).limit) })),
  ],
  [`${SUBSCRIPTION}/pause`]: [setPaused(true)],
  // Resumes a paused subscription and its waiting deliveries.
  [`${SUBSCRIPTION}/resume`]: [setPaused(false)],
};

function setPaused(isPaused: boolean): Route {
  return post(200, {}, async (call) => {
    const key = parameter(call, "subscriptionKey");
    const order = { key, isPaused, merchantId: call.merchant.id };
    const outcome = await pauseSubscription(call.context, order);
    if (!outcome.ok) throw refuse(outcome.code);
    const all = await subscriptionsOf(call, 1000);
    return all.find(({ subscriptionKey }) => subscriptionKey === key) ?? {};
  });
}

/** Writes an event of the catalogue without a cause. Default data: a sample. */
export async function writeSample(
  { context, merchant }: Pick<Call, "context" | "merchant">,
  order: { readonly type: string; readonly data?: object },
): Promise<EventRecord> {
  const row = sampledRow(context.policy.catalogue, order.type);
  if (row === undefined) throw refuseMembers([faultAt(context, "/type", "UNKNOWN_EVENT")]);
  const event = await context.driver.transaction(async (tx) => {
    const at = await instantOf(tx, context.clock, merchant.clockId);
    const sent = order.data ?? sampleData(row, { random: context.random, at });
    // Under the requested name, also one that this service never emits.
    return writeEvent(tx, context, merchant, { kind: sampledKind(row), row, data: sent, at });
  });
  if (event === undefined) throw new Error("the catalogue's row is not an event");
  return event;
}

async function deliveriesOf(
  call: Call,
  filter: Pick<Parameters<typeof listDeliveries>[1], "id" | "eventId" | "subscriptionKey">,
): Promise<object[]> {
  const { driver } = call.context;
  const deliveries = await listDeliveries(driver, { ...listed(call), ...filter });
  const made = await listAttempts(
    driver,
    deliveries.map(({ id }) => id),
  );
  const attempts = Map.groupBy(made, ({ deliveryId }) => deliveryId);
  return deliveries.map(({ id, eventId, type, subscriptionKey, state, nextAt, createdAt }) => ({
    deliveryId: id,
    eventId,
    type,
    subscriptionKey,
    state,
    createdAt: writtenTime(createdAt),
    nextAttemptAt: timeOrNull(nextAt),
    attempts: (attempts.get(id) ?? []).map(shownAttempt),
  }));
}

/** The namespace's subscriptions with the counts of their deliveries by state, the newest first: never a secret. */
async function subscriptionsOf({ context: { driver }, merchant }: Call, limit: number) {
  const found = await listSubscriptionHealth(driver, { merchantId: merchant.id, limit });
  const counted = await countDeliveries(driver, merchant.id);
  return found.map(({ key, url, status, selection, consecutiveFailures, ...times }) => ({
    subscriptionKey: key,
    url,
    status,
    selection: JSON.parse(selection) as unknown,
    consecutiveFailures,
    createdAt: writtenTime(times.createdAt),
    failingSince: timeOrNull(times.failingSince),
    lastSuccessAt: timeOrNull(times.lastSuccessAt),
    counts: Object.fromEntries(
      counted.filter((one) => one.key === key).map(({ state, count }) => [state, count]),
    ),
  }));
}
