import type { SubscriptionDetails } from "@countersign/client";
import { Matchers } from "@pact-foundation/pact";
import { bare, client, common, expectAnswer, expectRefused } from "./calls.ts";
import {
  fromState,
  type Given,
  given,
  json,
  like,
  refusal,
  type HttpInteraction,
} from "./interaction.ts";

const subscribePath = "/v1/webhook/subscribe";
const unsubscribePath = "/v1/webhook/unsubscribe";
const target = {
  url: "https://merchant.example/webhooks",
  secretKey: "a-secret-of-24-characters-or-more",
};

const selections: readonly (readonly [string, SubscriptionDetails])[] = [
  ["everything", { type: "ALL" }],
  ["everything, with details", { type: "ALL", details: ["PAYMENT"] }],
  ["one category", { type: "CATEGORY", details: ["PAYMENT"] }],
  ["all categories", { type: "CATEGORY", details: ["ACCOUNT", "CUSTOMER", "PAYMENT"] }],
  ["one event", { type: "EVENT", details: ["refund.failed"] }],
  ["several events", { type: "EVENT", details: ["refund.pending", "customer.created"] }],
];

const merchant = given("a merchant", {});
const subscription = given("a subscription", {});
const known = fromState("${subscriptionKey}", "sub_1");
const all = { type: "ALL" } as const;
const key = { subscriptionKey: "sub_1" };

type Told = Pick<HttpInteraction, "description" | "requirement" | "given">;
const told = (description: string, requirement: string, state: Given = merchant): Told => ({
  description,
  requirement,
  given: state,
});

/** Makes a request, with the same body as the client sends. */
const subscribing = (body: object): HttpInteraction["request"] => ({
  method: "POST",
  path: subscribePath,
  headers: common,
  body,
});
const unsubscribing = (body: object): HttpInteraction["request"] => ({
  method: "PUT",
  path: unsubscribePath,
  headers: common,
  body,
});
const done = (schema: string): HttpInteraction["answer"] => ({
  status: 200,
  headers: json,
  body: like(`resources/${schema}.schema.json`, key),
});

/** A request that the client would not send. */
function invalid(
  named: Told,
  request: HttpInteraction["request"],
  [errorCode, pointer, code = errorCode]: readonly [string, string, string?],
): HttpInteraction {
  const { method, query } = request;
  const path = `${String(request.path)}${query ? `?${new URLSearchParams(query).toString()}` : ""}`;
  return {
    ...named,
    request,
    answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
    consume: bare({
      method,
      path,
      body: JSON.stringify(Matchers.reify(Object(request.body))),
      status: 400,
    }),
  };
}

const wrong = (
  description: string,
  requirement: string,
  change: object,
  refused: readonly [string, string, string?],
): HttpInteraction =>
  invalid(
    told(description, requirement),
    subscribing({ ...target, subscriptionDetails: all, ...change }),
    refused,
  );

/** `POST /v1/webhook/subscribe` (S 4.3). */
export const subscribes: readonly HttpInteraction[] = [
  ...selections.map(([what, subscriptionDetails]): HttpInteraction => ({
    ...told(
      `a subscription to ${what}`,
      what.includes("with details") ? "P-SUBSCRIBE-ALL-DETAILS" : "P-SUBSCRIBE-SELECT",
    ),
    request: subscribing({ ...target, subscriptionDetails }),
    answer: done("subscribe-response"),
    consume: (url) => expectAnswer(client(url).subscribe({ ...target, subscriptionDetails }), key),
  })),
  {
    ...told(
      "a subscription when all are taken",
      "P-SUBSCRIBE-LIMIT",
      given("all subscriptions are taken", {}),
    ),
    request: subscribing({ ...target, subscriptionDetails: all }),
    answer: refusal(422, "SUBSCRIPTION_LIMIT_REACHED"),
    consume: (url) =>
      expectRefused(client(url).subscribe({ ...target, subscriptionDetails: all }), {
        status: 422,
        errorCode: "SUBSCRIPTION_LIMIT_REACHED",
      }),
  },
  wrong(
    "a subscription to an event that there is not",
    "P-SUBSCRIBE-UNKNOWN",
    { subscriptionDetails: { type: "EVENT", details: ["refund.lost"] } },
    ["UNKNOWN_EVENT", "/subscriptionDetails/details/0"],
  ),
  wrong(
    "a subscription to a category without details",
    "P-SUBSCRIBE-DETAILS",
    { subscriptionDetails: { type: "CATEGORY" } },
    ["INVALID_SUBSCRIPTION_DETAILS", "/subscriptionDetails/details"],
  ),
  wrong("a subscription of a short secretKey", "P-SUBSCRIBE-SECRET", { secretKey: "too-short" }, [
    "WEAK_SECRET",
    "/secretKey",
  ]),
  wrong(
    "a subscription of a url that is not http",
    "P-SUBSCRIBE-URL",
    { url: "ftp://merchant.example/webhooks" },
    ["INVALID_URL", "/url"],
  ),
];

const ended = (named: Told, subscriptionDetails: SubscriptionDetails): HttpInteraction => ({
  ...named,
  request: unsubscribing({ subscriptionId: known, subscriptionDetails }),
  answer: done("unsubscribe-response"),
  consume: (url) =>
    expectAnswer(client(url).unsubscribe({ subscriptionId: "sub_1", subscriptionDetails }), key),
});

const notFound = (named: Told, subscriptionId: string, sent: unknown): HttpInteraction => ({
  ...named,
  request: unsubscribing({ subscriptionId: sent, subscriptionDetails: all }),
  answer: refusal(404, "SUBSCRIPTION_NOT_FOUND"),
  consume: (url) =>
    expectRefused(client(url).unsubscribe({ subscriptionId, subscriptionDetails: all }), {
      status: 404,
      errorCode: "SUBSCRIPTION_NOT_FOUND",
    }),
});

/** `PUT /v1/webhook/unsubscribe` (S 4.4). */
export const unsubscribes: readonly HttpInteraction[] = [
  ...selections.map(([what, details]) =>
    ended(told(`an end to ${what}`, "P-UNSUBSCRIBE-KEY", subscription), details),
  ),
  ended(
    told(
      "an end to a subscription that is closed",
      "P-UNSUBSCRIBE-CLOSED",
      given("a closed subscription", {}),
    ),
    all,
  ),
  notFound(
    told(
      "an end to another merchant's subscription",
      "P-FOREIGN-404",
      given("a subscription of another merchant", {}),
    ),
    "sub_1",
    known,
  ),
  notFound(
    told("an end to a subscription that does not exist", "P-UNSUBSCRIBE-NOT-FOUND"),
    "sub_none",
    "sub_none",
  ),
  invalid(
    told(
      "an end to a subscription that body and query name differently",
      "P-UNSUBSCRIBE-ID",
      subscription,
    ),
    {
      ...unsubscribing({ subscriptionId: known, subscriptionDetails: all }),
      query: { subscriptionId: "sub_other" },
    },
    ["INVALID_REQUEST", "/subscriptionId", "CONTRADICTION"],
  ),
  invalid(
    told("an end without a subscriptionId", "P-INPUT-PRECISE", subscription),
    unsubscribing({ subscriptionDetails: all }),
    ["INVALID_REQUEST", "/subscriptionId", "MISSING_MEMBER"],
  ),
];
