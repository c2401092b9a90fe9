import type { SubscriptionDetails } from "@countersign/client";
import { bare, client, common, expectAnswer, expectRefused } from "./calls.ts";
import { fromState, given, json, like, refusal, type HttpInteraction } from "./interaction.ts";

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

const subscribed: HttpInteraction["answer"] = {
  status: 200,
  headers: json,
  body: like("resources/subscribe-response.schema.json", { subscriptionKey: "sub_1" }),
};

function invalid(
  told: Pick<HttpInteraction, "description" | "requirement">,
  change: object,
  [errorCode, pointer, code = errorCode]: readonly [string, string, string?],
): HttpInteraction {
  const body = { ...target, subscriptionDetails: { type: "ALL" }, ...change };
  return {
    ...told,
    given: given("a merchant", {}),
    request: { method: "POST", path: subscribePath, headers: common, body },
    answer: refusal(400, errorCode, { errors: { [pointer]: code } }),
    consume: bare({
      method: "POST",
      path: subscribePath,
      body: JSON.stringify(body),
      status: 400,
    }),
  };
}

/** `POST /v1/webhook/subscribe` (S 4.3). */
export const subscribes: readonly HttpInteraction[] = [
  ...selections.map(([what, subscriptionDetails]): HttpInteraction => ({
    description: `a subscription to ${what}`,
    requirement: what.includes("with details") ? "P-SUBSCRIBE-ALL-DETAILS" : "P-SUBSCRIBE-SELECT",
    given: given("a merchant", {}),
    request: {
      method: "POST",
      path: subscribePath,
      headers: common,
      body: { ...target, subscriptionDetails },
    },
    answer: subscribed,
    consume: (url) =>
      expectAnswer(client(url).subscribe({ ...target, subscriptionDetails }), {
        subscriptionKey: "sub_1",
      }),
  })),
  {
    description: "a subscription when all are taken",
    requirement: "P-SUBSCRIBE-LIMIT",
    given: given("all subscriptions are taken", {}),
    request: {
      method: "POST",
      path: subscribePath,
      headers: common,
      body: { ...target, subscriptionDetails: { type: "ALL" } },
    },
    answer: refusal(422, "SUBSCRIPTION_LIMIT_REACHED"),
    consume: (url) =>
      expectRefused(client(url).subscribe({ ...target, subscriptionDetails: { type: "ALL" } }), {
        status: 422,
        errorCode: "SUBSCRIPTION_LIMIT_REACHED",
      }),
  },
  invalid(
    {
      description: "a subscription to an event that there is not",
      requirement: "P-SUBSCRIBE-UNKNOWN",
    },
    { subscriptionDetails: { type: "EVENT", details: ["refund.lost"] } },
    ["UNKNOWN_EVENT", "/subscriptionDetails/details/0"],
  ),
  invalid(
    {
      description: "a subscription to a category without details",
      requirement: "P-SUBSCRIBE-DETAILS",
    },
    { subscriptionDetails: { type: "CATEGORY" } },
    ["INVALID_SUBSCRIPTION_DETAILS", "/subscriptionDetails/details"],
  ),
  invalid(
    {
      description: "a subscription of a short secretKey",
      requirement: "P-SUBSCRIBE-SECRET",
    },
    { secretKey: "too-short" },
    ["WEAK_SECRET", "/secretKey"],
  ),
  invalid(
    { description: "a subscription of a url that is not http", requirement: "P-SUBSCRIBE-URL" },
    { url: "ftp://merchant.example/webhooks" },
    ["INVALID_URL", "/url"],
  ),
];

const known = fromState("${subscriptionKey}", "sub_1");

function unsubscribing(
  body: { readonly subscriptionId: unknown } & Readonly<Record<string, unknown>>,
): HttpInteraction["request"] {
  return { method: "PUT", path: unsubscribePath, headers: common, body };
}

const all = { type: "ALL" } as const;
const done: HttpInteraction["answer"] = {
  status: 200,
  headers: json,
  body: like("resources/unsubscribe-response.schema.json", { subscriptionKey: "sub_1" }),
};

/** `PUT /v1/webhook/unsubscribe` (S 4.4). */
export const unsubscribes: readonly HttpInteraction[] = [
  ...selections.map(([what, subscriptionDetails]): HttpInteraction => ({
    description: `an end to ${what}`,
    requirement: "P-UNSUBSCRIBE-KEY",
    given: given("a subscription", {}),
    request: unsubscribing({ subscriptionId: known, subscriptionDetails }),
    answer: done,
    consume: (url) =>
      expectAnswer(client(url).unsubscribe({ subscriptionId: "sub_1", subscriptionDetails }), {
        subscriptionKey: "sub_1",
      }),
  })),
  {
    description: "an end to a subscription that is closed",
    requirement: "P-UNSUBSCRIBE-CLOSED",
    given: given("a closed subscription", {}),
    request: unsubscribing({ subscriptionId: known, subscriptionDetails: all }),
    answer: done,
    consume: (url) =>
      expectAnswer(client(url).unsubscribe({ subscriptionId: "sub_1", subscriptionDetails: all }), {
        subscriptionKey: "sub_1",
      }),
  },
  {
    description: "an end to another merchant's subscription",
    requirement: "P-FOREIGN-404",
    given: given("a subscription of another merchant", {}),
    request: unsubscribing({ subscriptionId: known, subscriptionDetails: all }),
    answer: refusal(404, "SUBSCRIPTION_NOT_FOUND"),
    consume: (url) =>
      expectRefused(
        client(url).unsubscribe({ subscriptionId: "sub_1", subscriptionDetails: all }),
        { status: 404, errorCode: "SUBSCRIPTION_NOT_FOUND" },
      ),
  },
  {
    description: "an end to a subscription that does not exist",
    requirement: "P-UNSUBSCRIBE-NOT-FOUND",
    given: given("a merchant", {}),
    request: unsubscribing({ subscriptionId: "sub_none", subscriptionDetails: all }),
    answer: refusal(404, "SUBSCRIPTION_NOT_FOUND"),
    consume: (url) =>
      expectRefused(
        client(url).unsubscribe({ subscriptionId: "sub_none", subscriptionDetails: all }),
        { status: 404, errorCode: "SUBSCRIPTION_NOT_FOUND" },
      ),
  },
  {
    description: "an end to a subscription that body and query name differently",
    requirement: "P-UNSUBSCRIBE-ID",
    given: given("a subscription", {}),
    request: {
      ...unsubscribing({ subscriptionId: known, subscriptionDetails: all }),
      query: { subscriptionId: "sub_other" },
    },
    answer: refusal(400, "INVALID_REQUEST", { errors: { "/subscriptionId": "CONTRADICTION" } }),
    consume: bare({
      method: "PUT",
      path: `${unsubscribePath}?subscriptionId=sub_other`,
      body: JSON.stringify({ subscriptionId: "sub_1", subscriptionDetails: all }),
      status: 400,
    }),
  },
  {
    description: "an end without a subscriptionId",
    requirement: "P-INPUT-PRECISE",
    given: given("a subscription", {}),
    request: {
      method: "PUT",
      path: unsubscribePath,
      headers: common,
      body: { subscriptionDetails: all },
    },
    answer: refusal(400, "INVALID_REQUEST", { errors: { "/subscriptionId": "MISSING_MEMBER" } }),
    consume: bare({
      method: "PUT",
      path: unsubscribePath,
      body: JSON.stringify({ subscriptionDetails: all }),
      status: 400,
    }),
  },
];
