import { Matchers } from "@pact-foundation/pact";
import type { Client } from "@countersign/client";
import {
  type Given,
  type HttpInteraction,
  common,
  fromState,
  given,
  isRefused,
  named,
  refusal,
} from "./interaction.ts";
import { order } from "./refunds.ts";
import { all, target } from "./subscriptions.ts";

interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  readonly body?: object;
  readonly scope: "payments" | "core";
  readonly call: (client: Client) => Promise<unknown>;
}

const subscription = { ...target, ...all };
const end = { subscriptionId: "sub_1", ...all };

const endpoints: readonly Endpoint[] = [
  {
    name: "a refund",
    method: "POST",
    path: "/v1/refunds",
    body: { ...order, amount: { currency: "USD", value: 10.5 } },
    scope: "payments",
    call: (made) => made.refund(order),
  },
  {
    name: "a look at a customer",
    method: "GET",
    path: "/v1/customers/cus_1",
    scope: "core",
    call: (made) => made.customer("cus_1"),
  },
  {
    name: "a subscription",
    method: "POST",
    path: "/v1/webhook/subscribe",
    body: subscription,
    scope: "core",
    call: (made) => made.subscribe(subscription),
  },
  {
    name: "an end to a subscription",
    method: "PUT",
    path: "/v1/webhook/unsubscribe",
    body: end,
    scope: "core",
    call: (made) => made.unsubscribe(end),
  },
];

const challenge = { headers: { "WWW-Authenticate": Matchers.regex("Bearer.*", "Bearer") } };
const retryAfter = { headers: { "Retry-After": Matchers.regex("\\d+", "1") } };
const { Authorization: _, ...anonymous } = common;
const NOBODY = "nobodys-token";

function refusalsOf(endpoint: Endpoint): readonly HttpInteraction[] {
  const { name, method, path, body, call } = endpoint;
  // As the sandbox names what it can disturb.
  const route = `${method} ${path.replace("/cus_1", "")}`;
  const refused = (
    what: string,
    requirement: string,
    answer: HttpInteraction["answer"],
    { state, consume, ...change }: Change = {},
  ): HttpInteraction => ({
    ...named(`${name}, ${what}`, requirement, state),
    request: { method, path, headers: common, ...(body && { body }), ...change },
    answer,
    ...(consume && { consume }),
  });
  const trouble = (status: number): HttpInteraction => {
    const errorCode = "SERVICE_UNAVAILABLE";
    const codes = {
      errorCode: Matchers.like(errorCode),
      errorMessage: Matchers.like("It was refused."),
    };
    const answer = {
      ...refusal(status, errorCode, retryAfter),
      body: { status: Matchers.equal(status), errorDetails: codes },
    };
    return refused(
      `answered ${status}`,
      status === 429 ? "P-LIMIT-RATE" : "P-ANSWER-SCHEMA",
      answer,
      {
        state: given("a service in trouble", { route, status, retryAfterSeconds: 1 }),
        consume: isRefused(call, { status, errorCode }),
      },
    );
  };
  const scope = endpoint.scope === "core" ? "payments" : "core";
  const unknown = { status: 401, errorCode: "UNAUTHENTICATED" };
  const narrow = { status: 403, errorCode: "INSUFFICIENT_SCOPE" };
  const always: readonly HttpInteraction[] = [
    refused("without a token", "P-AUTH-BEARER", refusal(401, "UNAUTHENTICATED", challenge), {
      headers: anonymous,
    }),
    refused("with an unknown token", "P-AUTH-BEARER", refusal(401, "UNAUTHENTICATED", challenge), {
      headers: { ...common, Authorization: `Bearer ${NOBODY}` },
      consume: isRefused(call, unknown, NOBODY),
    }),
    refused(
      "with a token of another scope",
      "P-AUTH-SCOPE",
      refusal(403, "INSUFFICIENT_SCOPE", challenge),
      { state: given("a token", { scope }), consume: isRefused(call, narrow) },
    ),
    refused("for an answer that is not JSON", "P-INPUT-ACCEPT", refusal(406, "NOT_ACCEPTABLE"), {
      headers: { ...common, Accept: "text/html" },
    }),
    ...[429, 500, 503].map(trouble),
  ];
  if (body === undefined) return always;
  return [
    ...always,
    refused("as plain text", "P-INPUT-MEDIA-TYPE", refusal(415, "UNSUPPORTED_MEDIA_TYPE"), {
      headers: { ...common, "Content-Type": "text/plain" },
      body: undefined,
      text: JSON.stringify(body),
    }),
    refused("in a body that is too large", "P-INPUT-SIZE", refusal(413, "PAYLOAD_TOO_LARGE"), {
      state: given("a body that is too large"),
      // A member that no call has is refused too, but not before the size.
      body: { ...body, padding: fromState("${padding}", "x") },
    }),
    refused("as a list", "P-INPUT-JSON", refusal(400, "INVALID_REQUEST"), { body: [1] }),
  ];
}

/** The deviation of a refused call from a genuine one. */
interface Change extends Partial<HttpInteraction["request"]> {
  readonly state?: Given;
  readonly consume?: HttpInteraction["consume"];
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
