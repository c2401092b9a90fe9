import {
  instantOf,
  listSubscriptionHealth,
  pathParameter,
  refuse,
  resumeSubscription,
  writtenTime,
  type Call,
  type Route,
  type SubscriptionHealth,
} from "@countersign/service";
import { listLimit } from "../list-limit.ts";
import { readMembers } from "../members.ts";

/** `GET /sandbox/subscriptions`: the newest first, never their secrets. */
export const getSubscriptions: Route = {
  method: "GET",
  scope: undefined,
  answer: async (call) => ({
    status: 200,
    body: { subscriptions: (await subscriptionsOf(call, listLimit(call))).map(shown) },
  }),
};

/** `POST /sandbox/subscriptions/{key}/resume`: a paused one goes on, with what waits for it. */
export const postResume: Route = {
  method: "POST",
  scope: undefined,
  answer: async (call) => {
    readMembers(call.body, {});
    const { context, merchant, request } = call;
    const key = pathParameter(request, "subscriptionKey") ?? "";
    const outcome = await context.driver.transaction(async (tx) => {
      const at = await instantOf(tx, context.clock, merchant.clockId);
      return resumeSubscription(tx, { merchantId: merchant.id, key, at });
    });
    if (!outcome.ok) throw refuse(outcome.code);
    context.onWork();
    const all = await subscriptionsOf(call, 1000);
    const resumed = all.find((one) => one.key === key);
    return { status: 200, body: resumed === undefined ? {} : shown(resumed) };
  },
};

function subscriptionsOf(
  { context, merchant }: Call,
  limit: number,
): Promise<SubscriptionHealth[]> {
  return listSubscriptionHealth(context.driver, { merchantId: merchant.id, limit });
}

function shown(subscription: SubscriptionHealth): object {
  const { key, url, status, selection, consecutiveFailures } = subscription;
  const timeOrNull = (at: number | null): string | null => (at === null ? null : writtenTime(at));
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
