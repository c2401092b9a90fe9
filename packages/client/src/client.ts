import type {
  Customer,
  SubscribeRequest,
  SubscribeResponse,
  UnsubscribeRequest,
  UnsubscribeResponse,
  Validation,
} from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import {
  validateCustomer,
  validateSubscribeResponse,
  validateUnsubscribeResponse,
} from "@countersign/schemas/readers";
import {
  validateIdentifier,
  validateSubscribeRequest,
  validateUnsubscribeRequest,
} from "@countersign/schemas/writers";
import { makeCall, type Call } from "./call.ts";
import { invalidRequest, type CallName } from "./errors.ts";
import { settingsOf, type CallOptions, type ClientOptions } from "./options.ts";
import { refundCall, type RefundAnswer, type RefundOrder } from "./refund.ts";
import { tokenSource } from "./tokens.ts";

/** The four calls of the interface. They reject with a `ClientError`, or a `TypeError` for an invalid call option. */
export interface Client {
  /** Requests a refund (S 4.1). Resolves to the one refund of its `requestKey`, also if answers are lost. */
  readonly refund: (order: RefundOrder, options?: CallOptions) => Promise<RefundAnswer>;
  /** Reads a customer (S 4.2). */
  readonly customer: (customerId: string, options?: CallOptions) => Promise<Customer>;
  /** Subscribes a URL to events (S 4.3). Never retried: two calls make two subscriptions. */
  readonly subscribe: (
    request: SubscribeRequest,
    options?: CallOptions,
  ) => Promise<SubscribeResponse>;
  /** Ends the named part of a subscription, or all of it (S 4.4). */
  readonly unsubscribe: (
    request: UnsubscribeRequest,
    options?: CallOptions,
  ) => Promise<UnsubscribeResponse>;
  /** Accepts no more calls, lets running attempts end, and closes the client's own connections after them. */
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/**
 * Creates a client of one provider for one merchant. It keeps connections and the access token: make one and share it.
 *
 * @throws {TypeError} An option is invalid. The message omits its value, which may be a secret.
 */
export function createClient(options: ClientOptions): Client {
  const settings = settingsOf(options);
  const { profile, dispatcher } = settings;
  const closing = new AbortController();
  const getToken = tokenSource(options, settings, closing.signal);
  const running = { ...settings, getToken, closing: closing.signal };
  const close = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    closing.abort();
    if (options.dispatcher === undefined) await dispatcher.close();
  };
  return {
    refund: async (order, at) => makeCall(running, refundCall(order, profile), at),
    customer: async (customerId, at) => makeCall(running, customerCall(customerId), at),
    subscribe: async (request, at) => makeCall(running, subscribeCall(request), at),
    unsubscribe: async (request, at) => makeCall(running, unsubscribeCall(request, profile), at),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** @throws {ClientError} `CS_REQUEST_INVALID` */
function check<T>(call: CallName, validation: Validation<T>): T {
  if (validation.ok) return validation.value;
  throw invalidRequest(call, validation.errors);
}

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
function customerCall(customerId: string): Call<Customer> {
  return {
    name: "customer",
    method: "GET",
    // An identifier needs no encoding.
    path: `/v1/customers/${check("customer", validateIdentifier(customerId))}`,
    isIdempotent: true,
    validate: validateCustomer,
  };
}

/** `POST /v1/webhook/subscribe` (S 4.3). Two calls make two subscriptions, so it is never retried. */
function subscribeCall(request: SubscribeRequest): Call<SubscribeResponse> {
  const { secretKey } = check("subscribe", validateSubscribeRequest(request));
  return {
    name: "subscribe",
    method: "POST",
    path: "/v1/webhook/subscribe",
    body: JSON.stringify(request),
    isIdempotent: false,
    secrets: [secretKey],
    validate: validateSubscribeResponse,
  };
}

/** `PUT /v1/webhook/unsubscribe` (S 4.4), with the key in the place that the profile names. */
function unsubscribeCall(
  request: UnsubscribeRequest,
  { subscription: { idIn } }: Profile,
): Call<UnsubscribeResponse> {
  const name = "unsubscribe";
  const { subscriptionId, subscriptionDetails } = check(name, validateUnsubscribeRequest(request));
  // "." and ".." in a path would name another resource.
  if (idIn === "path" && /^\.{1,2}$/.test(subscriptionId))
    throw invalidRequest(name, [
      { pointer: "/subscriptionId", keyword: "pattern", message: "must be a name in a path" },
    ]);
  const id = encodeURIComponent(subscriptionId);
  const places = { body: "", query: `?subscriptionId=${id}`, path: `/${id}` } as const;
  return {
    name,
    method: "PUT",
    path: `/v1/webhook/unsubscribe${places[idIn]}`,
    body: JSON.stringify({ ...(idIn === "body" && { subscriptionId }), subscriptionDetails }),
    isIdempotent: true,
    validate: validateUnsubscribeResponse,
  };
}
