import {
  findOwner,
  instantOf,
  listAttempts,
  listDeliveries,
  pathParameter,
  refuse,
  replayDeliveries,
  replayDelivery,
  type Call,
  type DeliveryFilter,
  type Replayed,
  type Route,
} from "@countersign/service";
import { listLimit, queryOf } from "../list-limit.ts";
import { readMembers, required } from "../members.ts";
import { refuseControl } from "../refusals.ts";
import { shownDelivery } from "../shown.ts";
import { timeWithin } from "../time.ts";

/** `GET /sandbox/deliveries?eventId=…&subscriptionKey=…`, the newest first, each with its attempts. */
export const getDeliveries: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => {
    const query = queryOf(call);
    const deliveries = await deliveriesOf(call, {
      merchantId: call.merchant.id,
      eventId: query.get("eventId") ?? undefined,
      subscriptionKey: query.get("subscriptionKey") ?? undefined,
      limit: listLimit(call),
    });
    return { status: 200, body: { deliveries } };
  },
};

/** `POST /sandbox/deliveries/{id}/replay`: one further attempt, due at once. */
export const postReplay: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    const { context, merchant, request } = call;
    const named = { merchantId: merchant.id, id: pathParameter(request, "deliveryId") ?? "" };
    const outcome = await context.driver.transaction(async (tx) => {
      const at = await instantOf(tx, context.clock, merchant.clockId);
      return replayDelivery(tx, { ...named, at });
    });
    if (!outcome.ok) {
      throw outcome.code === "SUBSCRIPTION_CLOSED"
        ? refuse(outcome.code)
        : refuseControl(outcome.code);
    }
    const [delivery] = await deliveriesOf(call, { ...named, limit: 1 });
    context.onWork();
    return { status: 202, body: delivery ?? {} };
  },
};

/** `POST /sandbox/deliveries/replay`: all that were given up of events since `failedSince`. */
export const postReplayFailed: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    const { failedSince } = readMembers(call.body, {
      failedSince: required(timeWithin(call.context.policy)),
    });
    return replayed(call, { kind: "failed", since: failedSince });
  },
};

/** `POST /sandbox/subscriptions/{key}/replay`: all of the subscription that are not waiting. */
export const postReplaySubscription: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    const { context, merchant, request } = call;
    const key = pathParameter(request, "subscriptionKey") ?? "";
    const owner = await findOwner(context.driver, { kind: "subscription", id: key });
    if (owner?.id !== merchant.id) throw refuse("SUBSCRIPTION_NOT_FOUND");
    if (owner.status === "CLOSED") throw refuse("SUBSCRIPTION_CLOSED");
    return replayed(call, { kind: "subscription", key });
  },
};

async function replayed(
  { context, merchant }: Call,
  what: Replayed,
): Promise<{ status: number; body: object }> {
  const count = await replayDeliveries(context, merchant, { what, askedBy: "merchant" });
  if (count > 0) context.onWork();
  return { status: 202, body: { replayed: count } };
}

async function deliveriesOf({ context }: Call, filter: DeliveryFilter): Promise<object[]> {
  const deliveries = await listDeliveries(context.driver, filter);
  const ids = deliveries.map(({ id }) => id);
  const attempts = Map.groupBy(
    await listAttempts(context.driver, ids),
    ({ deliveryId }) => deliveryId,
  );
  return deliveries.map((delivery) => shownDelivery(delivery, attempts.get(delivery.id) ?? []));
}
