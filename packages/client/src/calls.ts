import type {
  Customer,
  InvalidMember,
  SubscribeRequest,
  SubscribeResponse,
  UnsubscribeRequest,
  UnsubscribeResponse,
  Validator,
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
import type { RefusalReading } from "./answers.ts";
import type { CallName } from "./errors.ts";
import type { Outgoing } from "./exchange.ts";
import { invalidMembers, type Result } from "./failures.ts";

/** One call of the interface, ready to be sent. */
export interface Call<T> {
  readonly name: CallName;
  readonly method: Outgoing["method"];
  readonly path: string;
  /** JSON; absent if the call has none. */
  readonly body?: string;
  /** True if calling twice has the effect of calling once. Only such a call is retried. */
  readonly isIdempotent: boolean;
  /** True if the call changes something at the provider. */
  readonly changes: boolean;
  /** Secrets in the body, which no error may contain. */
  readonly secrets: readonly string[];
  /** Validates the JSON of a success. */
  readonly validate: Validator<T>;
  /** Interprets a refusal. Default: the call fails with it. */
  readonly settle?: (reading: RefusalReading) => Result<T>;
}

/** A call, or what is wrong with its request. */
export type Prepared<T> =
  | { readonly ok: true; readonly call: Call<T> }
  | { readonly ok: false; readonly errors: readonly InvalidMember[] };

/** `GET /v1/customers/{CUSTOMER_ID}` (S 4.2). */
export function customerCall(customerId: string): Prepared<Customer> {
  const validation = validateIdentifier(customerId);
  if (!validation.ok) return { ok: false, errors: invalidMembers(validation.errors) };
  return {
    ok: true,
    call: {
      name: "customer",
      method: "GET",
      // An identifier needs no encoding.
      path: `/v1/customers/${validation.value}`,
      isIdempotent: true,
      changes: false,
      secrets: [],
      validate: validateCustomer,
    },
  };
}

/** `POST /v1/webhook/subscribe` (S 4.3). Two calls make two subscriptions, so it is never retried. */
export function subscribeCall(request: SubscribeRequest): Prepared<SubscribeResponse> {
  const validation = validateSubscribeRequest(request);
  if (!validation.ok) return { ok: false, errors: invalidMembers(validation.errors) };
  return {
    ok: true,
    call: {
      name: "subscribe",
      method: "POST",
      path: "/v1/webhook/subscribe",
      body: JSON.stringify(request),
      isIdempotent: false,
      changes: true,
      secrets: [request.secretKey],
      validate: validateSubscribeResponse,
    },
  };
}

/** `PUT /v1/webhook/unsubscribe` (S 4.4), with the key in the place that the profile names. */
export function unsubscribeCall(
  request: UnsubscribeRequest,
  { subscription: { idIn } }: Profile,
): Prepared<UnsubscribeResponse> {
  const validation = validateUnsubscribeRequest(request);
  if (!validation.ok) return { ok: false, errors: invalidMembers(validation.errors) };
  // "." and ".." in a path would name another resource.
  if (idIn === "path" && /^\.{1,2}$/.test(request.subscriptionId))
    return { ok: false, errors: [{ pointer: "/subscriptionId", code: "pattern" }] };
  return {
    ok: true,
    call: {
      name: "unsubscribe",
      method: "PUT",
      ...placed(request, idIn),
      isIdempotent: true,
      changes: true,
      secrets: [],
      validate: validateUnsubscribeResponse,
    },
  };
}

function placed(
  { subscriptionId, subscriptionDetails }: UnsubscribeRequest,
  idIn: Profile["subscription"]["idIn"],
): { readonly path: string; readonly body: string } {
  const path = "/v1/webhook/unsubscribe";
  const id = encodeURIComponent(subscriptionId);
  const body = JSON.stringify({ subscriptionDetails });
  switch (idIn) {
    case "body":
      return { path, body: JSON.stringify({ subscriptionId, subscriptionDetails }) };
    case "query":
      return { path: `${path}?subscriptionId=${id}`, body };
    case "path":
      return { path: `${path}/${id}`, body };
    default:
      return idIn satisfies never;
  }
}
