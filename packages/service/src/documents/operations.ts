import type { Profile } from "@countersign/schemas/profiles";
import { type ErrorCode, type ErrorCodeEntry, errorCodes } from "../error-codes.ts";
import { statusUnder } from "../profile/policy.ts";
import { refTo } from "./profiled-schemas.ts";

const requestId = { $ref: "#/components/headers/RequestId" };

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
  /** The answers of success, by their statuses. */
  readonly success: Readonly<Record<number, object>>;
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
export const codesOf = ({ codes, request }: Operation): readonly ErrorCode[] => [
  ...codes,
  ...common,
  ...(request === undefined ? [] : withBody),
];

const identifier = (name: string, place: "path" | "query", description: string): object => ({
  name,
  in: place,
  required: true,
  description,
  schema: refTo("Identifier"),
});

const parameter = (name: string, description: string, schema: object): object => ({
  name,
  in: "query",
  description,
  schema,
});

/** The calls of S 4 that a profile has, and the list of events. */
export function operationsOf(profile: Profile): readonly Operation[] {
  return [...paymentCalls(profile), ...webhookCalls(profile), listEvents];
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
      success: {
        [statuses.refundCreated]: success(
          "This call made the refund; it may have failed at once.",
          refund.clientReferenceIdWhenAbsent === "null" ? "Refund" : "RefundAnswer",
        ),
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
      success: { 200: success("The customer.", "Customer") },
      parameters: [identifier("CUSTOMER_ID", "path", "Identifier of the customer.")],
      codes: ["CUSTOMER_NOT_FOUND"],
    },
  ];
}

/** The merchant's own list of events, to find those that never arrived. */
const listEvents: Operation = {
  id: "listEvents",
  method: "get",
  path: "/v1/events",
  summary: "List events",
  description:
    "The merchant's events as they are delivered, the oldest first: compare them with those that arrived. The service may have removed old ones.",
  scope: "core",
  success: { 200: success("A page of events.", "EventList") },
  parameters: [
    parameter("since", "The earliest time of creation. Default: that of the oldest event.", {
      type: "string",
      format: "date-time",
    }),
    parameter("after", "The `next` of the page before. Default: the first page.", {
      type: "string",
      pattern: "^[0-9]{1,15}$",
    }),
    parameter("limit", "The most events of a page.", {
      type: "integer",
      minimum: 1,
      maximum: 100,
      default: 100,
    }),
  ],
  codes: ["INVALID_REQUEST"],
};

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
      success: { [statuses.subscribed]: success("The subscription is made.", "SubscribeResponse") },
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
      success: {
        200: success("What was named is not delivered any more.", "UnsubscribeResponse"),
      },
      ...(subscription.idIn !== "body" && {
        parameters: [identifier("subscriptionId", subscription.idIn, key)],
      }),
      codes: ["INVALID_SUBSCRIPTION_DETAILS", "UNKNOWN_EVENT", "SUBSCRIPTION_NOT_FOUND"],
    },
  ];
}

const challenge = { "WWW-Authenticate": { $ref: "#/components/headers/Challenge" } };
const retry = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const headersOf: Readonly<Record<string, object>> = {
  401: challenge,
  403: challenge,
  429: retry,
  503: retry,
};

/** The refusals of a call by their statuses, each with the codes that it may have. */
export function refusals(profile: Profile, codes: readonly ErrorCode[]): Record<string, object> {
  const isFlat = profile.statuses.errorBody === "flat";
  const mediaType = isFlat ? "application/json" : "application/problem+json";
  const schema = refTo(isFlat ? "FlatError" : "Problem");
  const byStatus = Object.groupBy(codes, (code) => {
    const { status = 500 }: ErrorCodeEntry = errorCodes[code];
    return statusUnder(profile.statuses, code) ?? status;
  });
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, own = []]) => [
      status,
      {
        description: own.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n"),
        headers: { "X-Request-Id": requestId, ...headersOf[status] },
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
    content: { "application/json": { schema: refTo(title) } },
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
