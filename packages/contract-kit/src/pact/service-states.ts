import type { EventType } from "@countersign/schemas";

/**
 * The states of `countersign-service` that its pacts name, with their parameters. Each begins with a new
 * merchant, whose access token is that of the call. Each state lists the values that expressions can use.
 */
export interface ServiceStates {
  /** Nothing but a merchant. */
  readonly "a merchant": NoParams;
  /** `paymentId`: a debit of 80.00. */
  readonly "a payment": PaymentParams;
  /** `paymentId`, of which all is refunded. */
  readonly "a payment that is wholly refunded": NoParams;
  /** `paymentId`: the refund's own. */
  readonly "a refund": NoParams;
  /** `paymentId`: the payment; the refund is of 10.50, without a reference. */
  readonly "a refund with a requestKey": { readonly requestKey: string };
  /** `paymentId`: another payment; the key is a debit's. */
  readonly "a debit with a requestKey": { readonly requestKey: string };
  /** `paymentId`. */
  readonly "a payment of another merchant": NoParams;
  /** `customerId`. */
  readonly "a customer": CustomerParams;
  /** `customerId`. */
  readonly "a customer of another merchant": NoParams;
  /** `subscriptionKey`: to ALL. */
  readonly "a subscription": NoParams;
  /** `subscriptionKey`. */
  readonly "a closed subscription": NoParams;
  /** `subscriptionKey`. */
  readonly "a subscription of another merchant": NoParams;
  /** As many as the profile allows. */
  readonly "all subscriptions are taken": NoParams;
  /** `padding`: text that makes any body larger than the profile's limit. */
  readonly "a body that is too large": NoParams;
  /** The token has no scope but this one. */
  readonly "a token": { readonly scope: "payments" | "core" };
  /** A client may ask for tokens; its id and secret take the placeholders' place. */
  readonly "a client": NoParams;
  /** The next call is answered with a status, and does nothing. */
  readonly "a service in trouble": TroubleParams;
  /** An event of this type has been delivered: the last one that happens. */
  readonly "an event": EventParams;
}

type NoParams = Readonly<Record<string, never>>;

interface PaymentParams {
  /** `settled`: two weeks ago. `held`: now, so that the three business days have not passed. */
  readonly status: "processing" | "settled" | "held" | "failed" | "covered";
}

interface CustomerParams {
  readonly status: "CREATED" | "ACTIVE" | "INACTIVE";
  /** True if an account is linked. */
  readonly linked: boolean;
}

interface TroubleParams {
  /** Method and path, as the sandbox names what it can disturb. */
  readonly route:
    | "POST /v1/refunds"
    | "GET /v1/customers"
    | "POST /v1/webhook/subscribe"
    | "PUT /v1/webhook/unsubscribe";
  readonly status: 429 | 500 | 503;
  readonly retryAfterSeconds: number;
}

interface EventParams {
  readonly type: EventType;
  /** Optional members of its data: present or absent. */
  readonly optional: "present" | "absent";
}
