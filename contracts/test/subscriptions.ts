import type { SubscriptionDetails } from "@countersign/client";
import {
  type HttpInteraction,
  type Named,
  common,
  fromState,
  given,
  invalidCall,
  json,
  like,
  named,
  reads,
  refusedCall,
} from "./interaction.ts";

export const target = {
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

const subscription = given("a subscription");
const taken = given("all subscriptions are taken");
const known = fromState("${subscriptionKey}", "sub_1");
export const all = { subscriptionDetails: { type: "ALL" } } as const;
const key = { subscriptionKey: "sub_1" };

const subscribing = (change: object = {}): HttpInteraction["request"] => ({
  method: "POST",
  path: "/v1/webhook/subscribe",
  headers: common,
  body: { ...target, ...all, ...change },
});
const unsubscribing = (body: object): HttpInteraction["request"] => ({
  method: "PUT",
  path: "/v1/webhook/unsubscribe",
  headers: common,
  body,
});
const done = (schema: string): HttpInteraction["answer"] => ({
  status: 200,
  headers: json,
  body: like(schema, key),
});

/** `POST /v1/webhook/subscribe` (S 4.3). */
export const subscribes: readonly HttpInteraction[] = [
  ...selections.map(([what, subscriptionDetails]): HttpInteraction => {
    const name = what.includes("with details") ? "P-SUBSCRIBE-ALL-DETAILS" : "P-SUBSCRIBE-SELECT";
    return {
      ...named(`a subscription to ${what}`, name),
      request: subscribing({ subscriptionDetails }),
      answer: done("subscribe-response"),
      consume: reads((one) => one.subscribe({ ...target, subscriptionDetails }), key),
    };
  }),
  refusedCall(
    named("a subscription when all are taken", "P-SUBSCRIBE-LIMIT", taken),
    subscribing(),
    [422, "SUBSCRIPTION_LIMIT_REACHED"],
    (one) => one.subscribe({ ...target, ...all }),
  ),
  invalidCall(
    named("a subscription to an event that there is not", "P-SUBSCRIBE-UNKNOWN"),
    subscribing({ subscriptionDetails: { type: "EVENT", details: ["refund.lost"] } }),
    ["UNKNOWN_EVENT", "/subscriptionDetails/details/0"],
  ),
  invalidCall(
    named("a subscription to a category without details", "P-SUBSCRIBE-DETAILS"),
    subscribing({ subscriptionDetails: { type: "CATEGORY" } }),
    ["INVALID_SUBSCRIPTION_DETAILS", "/subscriptionDetails/details"],
  ),
  invalidCall(
    named("a subscription of a short secretKey", "P-SUBSCRIBE-SECRET"),
    subscribing({ secretKey: "too-short" }),
    ["WEAK_SECRET", "/secretKey"],
  ),
  invalidCall(
    named("a subscription of a url that is not http", "P-SUBSCRIBE-URL"),
    subscribing({ url: "ftp://merchant.example/webhooks" }),
    ["INVALID_URL", "/url"],
  ),
];

const ended = (told: Named, subscriptionDetails: SubscriptionDetails): HttpInteraction => ({
  ...told,
  request: unsubscribing({ subscriptionId: known, subscriptionDetails }),
  answer: done("unsubscribe-response"),
  consume: reads((one) => one.unsubscribe({ subscriptionId: "sub_1", subscriptionDetails }), key),
});

const notFound = (told: Named, subscriptionId: string, sent: unknown): HttpInteraction =>
  refusedCall(
    told,
    unsubscribing({ subscriptionId: sent, ...all }),
    [404, "SUBSCRIPTION_NOT_FOUND"],
    (one) => one.unsubscribe({ subscriptionId, ...all }),
  );

const closed = given("a closed subscription");
const foreign = given("a subscription of another merchant");

/** `PUT /v1/webhook/unsubscribe` (S 4.4). */
export const unsubscribes: readonly HttpInteraction[] = [
  ...selections.map(([what, details]) =>
    ended(named(`an end to ${what}`, "P-UNSUBSCRIBE-KEY", subscription), details),
  ),
  ended(
    named("an end to a subscription that is closed", "P-UNSUBSCRIBE-CLOSED", closed),
    all.subscriptionDetails,
  ),
  notFound(
    named("an end to another merchant's subscription", "P-FOREIGN-404", foreign),
    "sub_1",
    known,
  ),
  notFound(
    named("an end to a subscription that does not exist", "P-UNSUBSCRIBE-NOT-FOUND"),
    "sub_none",
    "sub_none",
  ),
  invalidCall(
    named(
      "an end to a subscription that body and query name differently",
      "P-UNSUBSCRIBE-ID",
      subscription,
    ),
    {
      ...unsubscribing({ subscriptionId: known, ...all }),
      query: { subscriptionId: "sub_other" },
    },
    ["INVALID_REQUEST", "/subscriptionId", "CONTRADICTION"],
  ),
  invalidCall(
    named("an end without a subscriptionId", "P-INPUT-PRECISE", subscription),
    unsubscribing(all),
    ["INVALID_REQUEST", "/subscriptionId", "MISSING_MEMBER"],
  ),
];
