import type { Profile } from "@countersign/schemas/profiles";
import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "../error-codes.ts";
import { statusUnder } from "../profile/policy.ts";

/** A call of the interface, as its document describes it. */
export interface Operation {
  readonly id: string;
  readonly method: "get" | "post" | "put";
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly scope: "payments" | "core";
  /** Title of the request body's schema. */
  readonly request?: string;
  /** Title of the answer's schema. */
  readonly answer: string;
  /** Statuses of success, each with what it says. */
  readonly success: Readonly<Record<number, string>>;
  readonly parameters?: readonly object[];
  /** Codes of its own, beside those of every call. */
  readonly codes: readonly ErrorCode[];
}

/** Codes that every call may be answered with. */
const common: readonly ErrorCode[] = [
  "UNAUTHENTICATED",
  "INSUFFICIENT_SCOPE",
  "NOT_ACCEPTABLE",
  "RATE_LIMITED",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
];

/** Codes of calls with a body. */
const withBody: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

/** Every code that a call may be answered with. */
export function codesOf({ codes, request }: Operation): readonly ErrorCode[] {
  return [...codes, ...common, ...(request === undefined ? [] : withBody)];
}

const identifier = (name: string, place: "path" | "query", description: string): object => ({
  name,
  in: place,
  required: true,
  description,
  schema: { $ref: "#/components/schemas/Identifier" },
});

/** The calls of S 4 that a profile has. */
export function operationsOf(profile: Profile): readonly Operation[] {
  return [...(profile.payments === true ? paymentCalls(profile) : []), ...webhookCalls(profile)];
}

function paymentCalls({ statuses, refund }: Profile): readonly Operation[] {
  return [
    {
      id: "issueRefund",
      method: "post",
      path: "/v1/refunds",
      summary: "Issue a refund",
      description:
        "Refunds a completed payment, in whole or in part (interface section 4.1). A `requestKey` is taken once for ever; a refused call leaves it free.",
      scope: "payments",
      request: "RefundRequest",
      answer: refund.clientReferenceIdWhenAbsent === "null" ? "Refund" : "RefundAnswer",
      success: {
        [statuses.refundCreated]: "This call made the refund; it may have failed at once.",
      },
      codes: [
        "INVALID_AMOUNT",
        "UNSUPPORTED_CURRENCY",
        "INVALID_SOFT_DESCRIPTOR",
        "PAYMENT_NOT_FOUND",
        "DUPLICATE_REQUEST_KEY",
        "PAYMENT_NOT_REFUNDABLE",
        "PAYMENT_ALREADY_REFUNDED",
        "REFUND_AMOUNT_EXCEEDS_REMAINING",
      ],
    },
    {
      id: "getCustomer",
      method: "get",
      path: "/v1/customers/{CUSTOMER_ID}",
      summary: "Get a customer",
      description: "One customer with details of the linked bank account (interface section 4.2).",
      scope: "core",
      answer: "Customer",
      success: { 200: "The customer." },
      parameters: [identifier("CUSTOMER_ID", "path", "Identifier of the customer.")],
      codes: ["CUSTOMER_NOT_FOUND"],
    },
  ];
}

function webhookCalls({ statuses, subscription }: Profile): readonly Operation[] {
  const path = "/v1/webhook/unsubscribe";
  const key = "The subscriptionKey of the subscribe call.";
  return [
    {
      id: "subscribe",
      method: "post",
      path: "/v1/webhook/subscribe",
      summary: "Subscribe to webhooks",
      description: "Events by name, by category, or all of them (interface section 4.3).",
      scope: "core",
      request: "SubscribeRequest",
      answer: "SubscribeResponse",
      success: { [statuses.subscribed]: "The subscription is made." },
      codes: [
        "INVALID_URL",
        "WEAK_SECRET",
        "INVALID_SUBSCRIPTION_DETAILS",
        "UNKNOWN_EVENT",
        "SUBSCRIPTION_LIMIT_REACHED",
      ],
    },
    {
      id: "unsubscribe",
      method: "put",
      path: subscription.idIn === "path" ? `${path}/{subscriptionId}` : path,
      summary: "Unsubscribe from webhooks",
      description:
        "Takes events or categories out of a subscription; with nothing left it is closed (interface section 4.4).",
      scope: "core",
      request: "UnsubscribeRequest",
      answer: "UnsubscribeResponse",
      success: { 200: "What was named is not delivered any more." },
      ...(subscription.idIn !== "body" && {
        parameters: [identifier("subscriptionId", subscription.idIn, key)],
      }),
      codes: ["INVALID_SUBSCRIPTION_DETAILS", "UNKNOWN_EVENT", "SUBSCRIPTION_NOT_FOUND"],
    },
  ];
}

const requestId = { $ref: "#/components/headers/RequestId" };

const headersOf: Readonly<Record<number, object>> = {
  401: { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } },
  403: { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } },
  429: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  503: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
};

/** The refusals of a call by their statuses, each with the codes that it may have. */
export function refusals(profile: Profile, codes: readonly ErrorCode[]): Record<string, object> {
  const isFlat = profile.statuses.errorBody === "flat";
  const mediaType = isFlat ? "application/json" : "application/problem+json";
  const schema = { $ref: `#/components/schemas/${isFlat ? "FlatError" : "Problem"}` };
  const byStatus = Object.groupBy(codes, (code) => {
    const { status = 500 }: ErrorCodeEntry = errorCodes[code];
    return statusUnder(profile.statuses, code) ?? status;
  });
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, own = []]) => [
      status,
      {
        description: own.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n"),
        headers: { "X-Request-Id": requestId, ...headersOf[Number(status)] },
        content: { [mediaType]: { schema } },
      },
    ]),
  );
}

/** A success with a body of one schema. */
export function success(description: string, title: string): object {
  return {
    description,
    headers: { "X-Request-Id": requestId },
    content: { "application/json": { schema: { $ref: `#/components/schemas/${title}` } } },
  };
}

/** The headers that answers refer to. */
export const headers = {
  RequestId: {
    description: "Names this call in the log of the service.",
    schema: { $ref: "#/components/schemas/Identifier" },
  },
  Challenge: { description: "RFC 6750, section 3.", schema: { type: "string" } },
  RetryAfter: {
    description: "Seconds until the call may be made again.",
    schema: { type: "integer", minimum: 1 },
  },
} as const;
