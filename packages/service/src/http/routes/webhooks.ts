import { validateSubscribeRequest, validateUnsubscribeRequest } from "@countersign/schemas/writers";
import type { Request } from "express";
import { type Wording, acceptMembers, faultAt, refuseMembers } from "../members.ts";
import {
  subscribe,
  type SubscribeOutcome,
  unsubscribe,
  type UnsubscribeOutcome,
} from "../../use-cases/subscriptions.ts";
import { queryOf } from "../body.ts";
import { refuse, type Refused } from "../problem.ts";
import { type BodyRoute, pathParameter } from "../route.ts";

/** `POST /v1/webhook/subscribe` (S 4.3). */
export const postSubscribe: BodyRoute = {
  method: "POST",
  scope: "core",
  writes: "subscribed",
  answer: async ({ context, merchant, body }) => {
    const validation = validateSubscribeRequest(body.value);
    const request = acceptMembers(context, { body: body.value, validation });
    const outcome = await subscribe(context, merchant, request);
    if (!outcome.ok) throw subscribeRefusal(context, outcome);
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
  writes: "unsubscribed",
  answer: async ({ context, merchant, body, request }) => {
    const sent = withSubscriptionId(body.value, request);
    const validation = validateUnsubscribeRequest(sent);
    const named = acceptMembers(context, { body: sent, validation });
    const outcome = await unsubscribe(context, merchant, named);
    if (!outcome.ok) throw unsubscribeRefusal(context, outcome);
    return { status: 200, body: { subscriptionKey: outcome.subscriptionKey } };
  },
};

/**
 * The body, with the `subscriptionId` of the path or the query if it has none: S 4.4 does not say where the
 * member belongs.
 *
 * @throws {Refused} `INVALID_REQUEST`: two places name different subscriptions.
 */
function withSubscriptionId(body: unknown, request: Request): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const query = queryOf(request.originalUrl);
  const elsewhere = [
    pathParameter(request, "subscriptionId"),
    ...query.getAll("subscriptionId"),
  ].filter((id) => id !== undefined);
  const named = new Set<unknown>(elsewhere);
  if ("subscriptionId" in body) named.add(body.subscriptionId);
  if (named.size > 1) {
    const message = "path, query and body name different subscriptions";
    throw refuseMembers([{ pointer: "/subscriptionId", code: "CONTRADICTION", message }]);
  }
  return named.size === 1 ? { ...body, subscriptionId: [...named][0] } : body;
}

function subscribeRefusal(
  wording: Wording,
  outcome: Extract<SubscribeOutcome, { ok: false }>,
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
      return refuse(outcome.code);
    default:
      return outcome satisfies never;
  }
}

function unsubscribeRefusal(
  wording: Wording,
  outcome: Extract<UnsubscribeOutcome, { ok: false }>,
): Refused {
  switch (outcome.code) {
    case "UNKNOWN_EVENT":
      return unknownEvents(wording, outcome.at);
    case "INVALID_SUBSCRIPTION_DETAILS":
      return invalidDetails(wording, outcome.at);
    case "SUBSCRIPTION_NOT_FOUND":
      return refuse(outcome.code);
    default:
      return outcome satisfies never;
  }
}

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
