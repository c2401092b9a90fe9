import { Matchers } from "@pact-foundation/pact";
import type { Client } from "@countersign/client";
import { common, isRefused } from "./calls.ts";
import { fromState, given, named, refusal, type HttpInteraction } from "./interaction.ts";

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

const challenge = { headers: { "WWW-Authenticate": Matchers.regex("Bearer.*", "Bearer") } };
const retryAfter = { headers: { "Retry-After": Matchers.regex("\\d+", "1") } };
const { Authorization: _, ...anonymous } = common;
const NOBODY = "nobodys-token";

function refusalsOf(endpoint: Endpoint): readonly HttpInteraction[] {
  const { name, method, path, body, call } = endpoint;
  const asked = (headers: Readonly<Record<string, string>> = {}) => ({
    method,
    path,
    headers: { ...common, ...headers },
    ...(body && { body }),
  });
  const trouble = (status: 429 | 500 | 503): HttpInteraction => {
    const state = { route: endpoint.route, status, retryAfterSeconds: 1 };
    const requirement = status === 429 ? "P-LIMIT-RATE" : "P-ANSWER-SCHEMA";
    const errorCode = "SERVICE_UNAVAILABLE";
    return {
      ...named(`${name}, answered ${status}`, requirement, given("a service in trouble", state)),
      request: asked(),
      answer: {
        ...refusal(status, errorCode, retryAfter),
        body: {
          status: Matchers.equal(status),
          errorDetails: {
            errorCode: Matchers.like(errorCode),
            errorMessage: Matchers.like("It was refused."),
          },
        },
      },
      consume: isRefused(call, { status, errorCode }),
    };
  };
  const scope = endpoint.scope === "core" ? "payments" : "core";
  const always: readonly HttpInteraction[] = [
    {
      ...named(`${name}, without a token`, "P-AUTH-BEARER"),
      request: { ...asked(), headers: anonymous },
      answer: refusal(401, "UNAUTHENTICATED", challenge),
    },
    {
      ...named(`${name}, with an unknown token`, "P-AUTH-BEARER"),
      request: asked({ Authorization: `Bearer ${NOBODY}` }),
      answer: refusal(401, "UNAUTHENTICATED", challenge),
      consume: isRefused(call, { status: 401, errorCode: "UNAUTHENTICATED" }, NOBODY),
    },
    {
      ...named(
        `${name}, with a token of another scope`,
        "P-AUTH-SCOPE",
        given("a token", { scope }),
      ),
      request: asked(),
      answer: refusal(403, "INSUFFICIENT_SCOPE", challenge),
      consume: isRefused(call, { status: 403, errorCode: "INSUFFICIENT_SCOPE" }),
    },
    {
      ...named(`${name}, for an answer that is not JSON`, "P-INPUT-ACCEPT"),
      request: asked({ Accept: "text/html" }),
      answer: refusal(406, "NOT_ACCEPTABLE"),
    },
    trouble(429),
    trouble(500),
    trouble(503),
  ];
  if (body === undefined) return always;

  const tooLarge = given("a body that is too large", {});
  const plain = { ...common, "Content-Type": "text/plain" };
  return [
    ...always,
    {
      ...named(`${name}, as plain text`, "P-INPUT-MEDIA-TYPE"),
      request: { method, path, headers: plain, text: JSON.stringify(body) },
      answer: refusal(415, "UNSUPPORTED_MEDIA_TYPE"),
    },
    {
      ...named(`${name}, in a body that is too large`, "P-INPUT-SIZE", tooLarge),
      // A member that no call has is refused too, but not before the size.
      request: { ...asked(), body: { ...body, padding: fromState("${padding}", "x") } },
      answer: refusal(413, "PAYLOAD_TOO_LARGE"),
    },
    {
      ...named(`${name}, as a list`, "P-INPUT-JSON"),
      request: { ...asked(), body: [1] },
      answer: refusal(400, "INVALID_REQUEST"),
    },
  ];
}

export const refusals: readonly HttpInteraction[] = [
  ...endpoints.flatMap(refusalsOf),
  {
    ...named("a method that the path does not take", "P-INPUT-METHOD"),
    request: { method: "PUT", path: "/v1/refunds", headers: common, body: {} },
    answer: refusal(405, "METHOD_NOT_ALLOWED", {
      headers: { Allow: Matchers.regex(".*POST.*", "POST") },
    }),
  },
  {
    ...named("a call without the version in its path", "P-VERSION-PATH"),
    request: { method: "GET", path: "/customers/cus_1", headers: common },
    answer: refusal(404, "NOT_FOUND"),
  },
];
