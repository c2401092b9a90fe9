import { validateSubscribeRequest, validateUnsubscribeRequest } from "@countersign/schemas/writers";
import type { Request } from "express";
import { type Wording, acceptMembers, faultAt, refuseMembers } from "../members.ts";
import {
  subscribe,
  type SubscribeOutcome,
  unsubscribe,
  type UnsubscribeOutcome,
} from "../../use-cases/subscriptions.ts";
import { isObject, queryOf } from "../body.ts";
import { refuse, type Refused } from "../problem.ts";
import { type BodyRoute, type GetRoute, pathParameter } from "../route.ts";
import { listEventsAfter } from "../../store/tables/deliveries.ts";

/** `POST /v1/webhook/subscribe` (S 4.3). */
export const postSubscribe: BodyRoute = {
  method: "POST",
  scope: "core",
  answer: async ({ context, merchant, body }) => {
    const validation = validateSubscribeRequest(body.value);
    const request = acceptMembers(context, { body: body.value, validation });
    const outcome = await subscribe(context, merchant, request);
    if (!outcome.ok) throw refusalOf(context, outcome);
    return {
      status: context.policy.statuses.subscribed,
      body: { subscriptionKey: outcome.subscriptionKey },
    };
  },
};

/** `PUT /v1/webhook/unsubscribe` (S 4.4), with the key in the body, the path or the query. */
export const putUnsubscribe: BodyRoute = {
  method: "PUT",
  scope: "core",
  answer: async ({ context, merchant, body, request }) => {
    const sent = withSubscriptionId(body.value, request);
    const validation = validateUnsubscribeRequest(sent);
    const named = acceptMembers(context, { body: sent, validation });
    const outcome = await unsubscribe(context, merchant, named);
    if (!outcome.ok) throw refusalOf(context, outcome);
    return { status: 200, body: { subscriptionKey: outcome.subscriptionKey } };
  },
};

/** The body, with the `subscriptionId` of the path or the query if it has none: S 4.4 does not say where it belongs. */
function withSubscriptionId(body: unknown, request: Request): unknown {
  if (!isObject(body)) return body;
  const named = new Set<unknown>([
    pathParameter(request, "subscriptionId"),
    ...queryOf(request.originalUrl).getAll("subscriptionId"),
    body["subscriptionId"],
  ]);
  named.delete(undefined);
  if (named.size > 1) {
    const message = "path, query and body name different subscriptions";
    throw refuseMembers([{ pointer: "/subscriptionId", code: "CONTRADICTION", message }]);
  }
  return { ...body, ...(named.size === 1 && { subscriptionId: [...named][0] }) };
}

function refusalOf(
  wording: Wording,
  outcome: Extract<SubscribeOutcome | UnsubscribeOutcome, { ok: false }>,
): Refused {
  switch (outcome.code) {
    case "INVALID_URL":
      return refuseMembers([faultAt(wording, "/url", outcome.code)]);
    case "WEAK_SECRET":
      return refuseMembers([faultAt(wording, "/secretKey", outcome.code)]);
    case "UNKNOWN_EVENT":
      return unknownEvents(wording, outcome.at);
    case "INVALID_SUBSCRIPTION_DETAILS":
      return invalidDetails(wording, outcome.at);
    case "SUBSCRIPTION_LIMIT_REACHED":
    case "SUBSCRIPTION_NOT_FOUND":
      return refuse(outcome.code);
    default:
      return outcome satisfies never;
  }
}

/** Refuses names of `subscriptionDetails.details`, by their indexes. */
function unknownEvents(wording: Wording, at: readonly number[]): Refused {
  return refuseMembers(
    at.map((place) => faultAt(wording, `/subscriptionDetails/details/${place}`, "UNKNOWN_EVENT")),
  );
}

function invalidDetails(wording: Wording, at: readonly number[]): Refused {
  const code = "INVALID_SUBSCRIPTION_DETAILS";
  const { catalogue } = wording.policy;
  const categories = [...new Set(catalogue.map(({ category }) => category))].toSorted();
  const message = `must be one of ${JSON.stringify(categories)}`;
  return refuseMembers(
    at.map((place) => ({ pointer: `/subscriptionDetails/details/${place}`, code, message })),
  );
}

/** Events of one answer. */
const MOST = 100;

/** `GET /v1/events`: the merchant's events as they are delivered, the oldest first. `after` is an earlier answer's `next`. */
export const getEvents: GetRoute = {
  method: "GET",
  scope: "core",
  answer: async ({ context, merchant, request }) => {
    const query = queryOf(request.url);
    const since = Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z");
    const limit = Number(query.get("limit") ?? MOST);
    const after = query.get("after") ?? "0";
    const isLimit = Number.isInteger(limit) && limit >= 1 && limit <= MOST;
    const errors = [
      Number.isNaN(since) && invalid("/since", "must be a time"),
      !isLimit && invalid("/limit", `must be a whole number from 1 to ${MOST}`),
      !/^\d{1,15}$/.test(after) && invalid("/after", "must be the next of an earlier answer"),
    ].filter((one) => one !== false);
    if (errors.length > 0) throw refuseMembers(errors);
    const page = { since, after: Number(after), limit };
    const rows = await listEventsAfter(context.driver, merchant.id, page);
    const last = rows.length < limit ? undefined : rows.at(-1);
    const events = rows.map(({ payload }): unknown => JSON.parse(payload));
    return { status: 200, body: { events, next: last === undefined ? null : String(last.seq) } };
  },
};

const invalid = (pointer: string, message: string) =>
  ({ pointer, code: "INVALID_VALUE", message }) as const;
