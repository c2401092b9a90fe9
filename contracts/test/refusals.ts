import { Matchers } from "@pact-foundation/pact";
import type { Client } from "@countersign/client";
import { bare, client, common, expectRefused } from "./calls.ts";
import { fromState, given, refusal, type HttpInteraction } from "./interaction.ts";

interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
  readonly route: Parameters<typeof given<"a service in trouble">>[1]["route"];
  readonly scope: "payments" | "core";
  readonly call: (client: Client) => Promise<unknown>;
}

const all = { type: "ALL" } as const;
const order = { paymentId: "pay_1", amount: "10.50", requestKey: "key-1" } as const;
const target = {
  url: "https://merchant.example/webhooks",
  secretKey: "a-secret-of-24-characters-or-more",
  subscriptionDetails: all,
};

const endpoints: readonly Endpoint[] = [
  {
    name: "a refund",
    method: "POST",
    path: "/v1/refunds",
    body: { ...order, amount: { currency: "USD", value: 10.5 } },
    route: "POST /v1/refunds",
    scope: "payments",
    call: (made) => made.refund(order),
  },
  {
    name: "a look at a customer",
    method: "GET",
    path: "/v1/customers/cus_1",
    route: "GET /v1/customers",
    scope: "core",
    call: (made) => made.customer("cus_1"),
  },
  {
    name: "a subscription",
    method: "POST",
    path: "/v1/webhook/subscribe",
    body: target,
    route: "POST /v1/webhook/subscribe",
    scope: "core",
    call: (made) => made.subscribe(target),
  },
  {
    name: "an end to a subscription",
    method: "PUT",
    path: "/v1/webhook/unsubscribe",
    body: { subscriptionId: "sub_1", subscriptionDetails: all },
    route: "PUT /v1/webhook/unsubscribe",
    scope: "core",
    call: (made) => made.unsubscribe({ subscriptionId: "sub_1", subscriptionDetails: all }),
  },
];

const challenge = { "WWW-Authenticate": Matchers.regex("Bearer.*", "Bearer") };
const retryAfter = { "Retry-After": Matchers.regex("\\d+", "1") };
const { Authorization: _, ...anonymous } = common;

function refusalsOf(endpoint: Endpoint): readonly HttpInteraction[] {
  const { name, method, path, body, call } = endpoint;
  const asked = (headers: Readonly<Record<string, string>> = common) => ({
    method,
    path,
    headers,
    ...(body && { body }),
  });
  const sent = (status: number, headers: Readonly<Record<string, string>> = common) =>
    bare({ method, path, headers, status, ...(body && { body: JSON.stringify(body) }) });
  const merchant = given("a merchant", {});
  const trouble = (status: 429 | 500 | 503): HttpInteraction => ({
    description: `${name}, answered ${status}`,
    requirement: status === 429 ? "P-LIMIT-RATE" : "P-ANSWER-SCHEMA",
    ...(status === 429 && { level: "SHOULD" }),
    given: given("a service in trouble", { route: endpoint.route, status, retryAfterSeconds: 1 }),
    request: asked(),
    answer: {
      ...refusal(status, "SERVICE_UNAVAILABLE", { headers: retryAfter }),
      body: {
        status: Matchers.equal(status),
        errorDetails: {
          errorCode: Matchers.like("SERVICE_UNAVAILABLE"),
          errorMessage: Matchers.like("It was refused."),
        },
      },
    },
    consume: (url) =>
      expectRefused(call(client(url)), { status, errorCode: "SERVICE_UNAVAILABLE" }),
  });

  const always: readonly HttpInteraction[] = [
    {
      description: `${name}, without a token`,
      requirement: "P-AUTH-BEARER",
      given: merchant,
      request: asked(anonymous),
      answer: refusal(401, "UNAUTHENTICATED", { headers: challenge }),
      consume: sent(401, anonymous),
    },
    {
      description: `${name}, with an unknown token`,
      requirement: "P-AUTH-BEARER",
      given: merchant,
      request: asked({ ...common, Authorization: "Bearer nobodys-token" }),
      answer: refusal(401, "UNAUTHENTICATED", { headers: challenge }),
      consume: (url) =>
        expectRefused(call(client(url, { token: "nobodys-token" })), {
          status: 401,
          errorCode: "UNAUTHENTICATED",
        }),
    },
    {
      description: `${name}, with a token of another scope`,
      requirement: "P-AUTH-SCOPE",
      given: given("a token of one scope", {
        scope: endpoint.scope === "core" ? "payments" : "core",
      }),
      request: asked(),
      answer: refusal(403, "INSUFFICIENT_SCOPE", { headers: challenge }),
      consume: (url) =>
        expectRefused(call(client(url)), { status: 403, errorCode: "INSUFFICIENT_SCOPE" }),
    },
    {
      description: `${name}, for an answer that is not JSON`,
      requirement: "P-INPUT-ACCEPT",
      given: merchant,
      request: asked({ ...common, Accept: "text/html" }),
      answer: refusal(406, "NOT_ACCEPTABLE"),
      consume: sent(406, { ...common, Accept: "text/html" }),
    },
    trouble(429),
    trouble(500),
    trouble(503),
  ];
  if (body === undefined) return always;

  const plain = { ...common, "Content-Type": "text/plain" };
  // A member that no call has is refused too, but not before the size.
  const large = { ...body, padding: fromState("${padding}", "x") };
  return [
    ...always,
    {
      description: `${name}, as plain text`,
      requirement: "P-INPUT-MEDIA-TYPE",
      given: merchant,
      request: { method, path, headers: plain, text: JSON.stringify(body) },
      answer: refusal(415, "UNSUPPORTED_MEDIA_TYPE"),
      consume: sent(415, plain),
    },
    {
      description: `${name}, in a body that is too large`,
      requirement: "P-INPUT-SIZE",
      given: given("a body that is too large", {}),
      request: { ...asked(), body: large },
      answer: refusal(413, "PAYLOAD_TOO_LARGE"),
      consume: bare({
        method,
        path,
        status: 413,
        body: JSON.stringify({ ...body, padding: "x" }),
      }),
    },
    {
      description: `${name}, as a list`,
      requirement: "P-INPUT-JSON",
      given: merchant,
      request: { ...asked(), body: [1] },
      answer: refusal(400, "INVALID_REQUEST"),
      consume: bare({ method, path, status: 400, body: "[1]" }),
    },
  ];
}

/** What every call is refused with, whoever makes it. */
export const refusals: readonly HttpInteraction[] = [
  ...endpoints.flatMap(refusalsOf),
  {
    description: "a method that the path does not take",
    requirement: "P-INPUT-METHOD",
    level: "SHOULD",
    given: given("a merchant", {}),
    request: { method: "PUT", path: "/v1/refunds", headers: common, body: {} },
    answer: refusal(405, "METHOD_NOT_ALLOWED", {
      headers: { Allow: Matchers.regex(".*POST.*", "POST") },
    }),
    consume: bare({ method: "PUT", path: "/v1/refunds", body: "{}", status: 405 }),
  },
  {
    description: "a call without the version in its path",
    requirement: "P-VERSION-PATH",
    given: given("a merchant", {}),
    request: { method: "GET", path: "/customers/cus_1", headers: common },
    answer: refusal(404, "NOT_FOUND"),
    consume: bare({ method: "GET", path: "/customers/cus_1", status: 404 }),
  },
];
