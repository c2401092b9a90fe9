import { formatAmount, type SubscriptionDetails } from "@countersign/rules";
import type { Profile } from "@countersign/schemas";
import type { SendingProvider } from "@countersign/schemas/provider-of";
import { validateTokenError, validateTokenResponse } from "@countersign/schemas/writers";
import { basicOf } from "../http-send.ts";
import { isRecord } from "../values.ts";
import type { Endpoint } from "../harness/endpoints.ts";
import { StateMissing, type Values } from "./provider-states.ts";
import { type CallAnswer, type Session, summary } from "./session.ts";

/** A customer, a payment and a subscription that nobody has. */
export const UNKNOWN_CUSTOMER = "cus_that_is_not_there";
export const UNKNOWN_PAYMENT = "pay_that_is_not_there";
export const UNKNOWN_SUBSCRIPTION = "sub_that_is_not_there";

/** A refund request, its amount as the text of a JSON value. */
export interface RefundCall {
  readonly paymentId: string;
  readonly amount: string;
  /** Default: a new one. */
  readonly requestKey?: string;
  readonly more?: Values;
}

/** `POST /v1/refunds`, with the amount's text untouched. */
export function requestRefund(
  session: Session,
  { paymentId, amount, requestKey = session.key(), more = {} }: RefundCall,
): Promise<CallAnswer> {
  const members = JSON.stringify({ paymentId, requestKey, ...more }).slice(1, -1);
  const text = `{"amount":{"currency":"USD","value":${amount}},${members}}`;
  return session.call("POST", "/v1/refunds", { text });
}

type Judging = Pick<Profile, "refund" | "statuses">;

export const isCreated = ({ status }: CallAnswer, { statuses }: Judging): boolean =>
  status === statuses.refundCreated;

/** True if the profile's response to a known requestKey has the refund: the flat form has no room. */
export const returnsExisting = ({ refund, statuses }: Judging): boolean =>
  refund.duplicate === "reject-with-existing" && statuses.errorBody === "problem";

/** The refund in the 409 response to a known requestKey, whose schema has been checked. */
export function existingRefund({ body }: CallAnswer): Values | undefined {
  const { existing } = body;
  return isRecord(existing) ? existing : undefined;
}

/** A refund's state, which only a second call with its key returns; `undefined` if the profile's duplicates lack it. */
export async function currentStatus(session: Session, refund: RefundCall): Promise<unknown> {
  if (!returnsExisting(session.profile)) return undefined;
  return existingRefund(await requestRefund(session, refund))?.["paymentStatus"];
}

export const ALL: SubscriptionDetails = { type: "ALL" };

export const onlyEvent = (...details: readonly string[]): SubscriptionDetails => {
  return { type: "EVENT", details };
};

/** A subscription of the kit's own receiver. */
export interface Subscription {
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly secret: string;
}

interface SubscriptionCall extends Partial<Omit<Subscription, "key">> {
  readonly details?: SubscriptionDetails;
  /** Default: the endpoint's. */
  readonly url?: string;
  /** The requirement that fails if the subscription is refused. */
  readonly requirement?: string;
}

/** Subscribes the kit's receiver. @throws {StateMissing} The target refuses it, as `serve` refuses loopback. */
export async function subscribe(
  session: Session,
  {
    endpoint = session.openEndpoint(),
    details = ALL,
    secret = newSecret(session),
    url = endpoint.url,
    requirement,
  }: SubscriptionCall = {},
): Promise<Subscription> {
  const json = { url, secretKey: secret, subscriptionDetails: details };
  const answer = await session.call("POST", "/v1/webhook/subscribe", { json });
  requireAddress(answer, url);
  const { subscribed } = session.profile.statuses;
  const what = `subscribing to ${JSON.stringify(details)}`;
  // A success proves nothing yet.
  if (requirement !== undefined && answer.status !== subscribed)
    session.expectStatus(requirement, what, answer, subscribed);
  const { subscriptionKey: key } = answer.body;
  if (answer.status >= 300 || typeof key !== "string")
    throw new StateMissing(`${what} was refused: ${summary(answer)}`);
  return { key, endpoint, secret };
}

/** @throws {StateMissing} The answer refuses the address, and nothing else is wrong with the call. */
export function requireAddress({ status, text }: CallAnswer, url: string): void {
  if (status !== 400 || !/"\/url"|"INVALID_URL"/.test(text)) return;
  const reason = `the target takes no subscription of ${url} (--callback-url gives another)`;
  throw new StateMissing(reason);
}

export function newSecret(session: Session): string {
  const secret = `${session.key()}-secret-of-the-kit`;
  session.scenario.secrets.add(secret);
  return secret;
}

interface Unsubscribing {
  readonly key: string;
  /** Default: everything. */
  readonly details?: SubscriptionDetails;
}

/** Removes a part of a subscription; the key is sent where the profile expects it. */
export function requestUnsubscribe(
  session: Session,
  { key, details = ALL }: Unsubscribing,
): Promise<CallAnswer> {
  const { idIn } = session.profile.subscription;
  const path = { body: "", path: `/${key}`, query: `?subscriptionId=${key}` }[idIn];
  const json = { ...(idIn === "body" && { subscriptionId: key }), subscriptionDetails: details };
  return session.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });
}

/** Like `requestUnsubscribe`, but it must succeed (P-UNSUBSCRIBE-SUBTRACT). @returns False if it does not. */
export async function unsubscribe(session: Session, order: Unsubscribing): Promise<boolean> {
  const answer = await requestUnsubscribe(session, order);
  const what = `unsubscribing ${JSON.stringify(order.details ?? ALL)}`;
  // A success proves nothing yet.
  return answer.status === 200 || session.expectStatus("P-UNSUBSCRIBE-SUBTRACT", what, answer, 200);
}

/** Every name of the catalogue, once. */
export function typesOf(sending: SendingProvider): readonly [string, ...string[]] {
  const [first = "", ...others] = new Set(sending.catalogue.map(({ type }) => type));
  return [first, ...others];
}

/** Asks for an access token, with credentials where RFC 6749, section 2.3.1, allows them. */
export async function requestToken(
  session: Session,
  by: "basic" | "body",
  { client = session.client, scope }: { client?: Session["client"]; scope?: string } = {},
): Promise<CallAnswer> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(by === "body" && { client_id: client.id, client_secret: client.secret }),
  });
  const answer = await session.call("POST", session.profile.token.path, {
    text: form.toString(),
    headers: {
      authorization: by === "basic" ? `Basic ${basicOf(client)}` : undefined,
      "content-type": "application/x-www-form-urlencoded",
    },
    isUnchecked: true,
  });
  const validate = answer.status < 300 ? validateTokenResponse : validateTokenError;
  const validation = validate(answer.body);
  const faults = validation.ok ? [] : validation.errors;
  const lines = faults.map(({ pointer, message }) => `${pointer || "the body"} ${message}`);
  const invalid = `the token endpoint → ${summary(answer)}: ${lines.join("; ")}`;
  session.expect("P-ANSWER-SCHEMA", validation.ok, invalid);
  return answer;
}

/** A call that needs the token and moves nothing: of a customer who is not there. */
export function callWith(
  session: Session,
  token: unknown,
  isUnpaced: boolean = false,
): Promise<CallAnswer> {
  const headers = { authorization: `Bearer ${String(token)}` };
  return session.call("GET", `/v1/customers/${UNKNOWN_CUSTOMER}`, { headers, isUnpaced });
}

interface Payment {
  readonly cents?: bigint;
  /** Default: a new one. */
  readonly customerId?: string | undefined;
  readonly status?: "processing" | "settled" | "held" | "failed" | "canceled" | "covered";
  readonly settledAt?: string;
  readonly clientReferenceId?: string;
}

/** Prepares a debit, by default of 100.00, which is processing. @throws {StateMissing} The target has no states. */
export async function prepareDebit(
  session: Session,
  { cents = 10_000n, ...params }: Payment = {},
): Promise<{ readonly paymentId: string; readonly customerId: string }> {
  const order = { status: "processing", ...params, amount: formatAmount(cents) };
  const made = await session.state("a payment", order);
  return { paymentId: textOf(made, "paymentId"), customerId: textOf(made, "customerId") };
}

/** Causes an event of this type. @returns The event's id. */
export async function emit(session: Session, type: string): Promise<string> {
  return textOf(await session.state("an event", { type }), "eventId");
}

/** A member of a state's answer. @throws {Error} It is not text. */
export function textOf(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== "string") throw new Error(`the answer of a state has no ${name}`);
  return value;
}
