import type { Profile } from "@countersign/schemas";
import type { Sender, SentEvent } from "@countersign/schemas/provider-of";
import { validateTokenError, validateTokenResponse } from "@countersign/schemas/writers";
import { basicOf } from "../http-send.ts";
import { isRecord } from "../values.ts";
import type { Endpoint } from "../harness/endpoints.ts";
import { StateMissing, type Values } from "./provider-states.ts";
import { type CallAnswer, type Session, shown } from "./session.ts";

/** A customer, a payment and a subscription that nobody has. */
export const NOBODY = "cus_that_is_not_there";
export const UNPAID = "pay_that_is_not_there";
export const UNSUBSCRIBED = "sub_that_is_not_there";

/** A refund request, its amount as the text of a JSON value. */
export interface RefundCall {
  readonly paymentId: string;
  readonly amount: string;
  /** Default: a new one. */
  readonly requestKey?: string;
  readonly more?: Values;
}

/** `POST /v1/refunds`, with the amount's text untouched. */
export function askRefund(
  session: Session,
  { paymentId, amount, requestKey = session.key(), more = {} }: RefundCall,
): Promise<CallAnswer> {
  const members = JSON.stringify({ paymentId, requestKey, ...more }).slice(1, -1);
  const text = `{"amount":{"currency":"USD","value":${amount}},${members}}`;
  return session.call("POST", "/v1/refunds", { text });
}

/** Cents as the text of an amount, with two digits. */
export function amountText(cents: bigint): string {
  return `${String(cents / 100n)}.${String(cents % 100n).padStart(2, "0")}`;
}

/** True if a refund record was made. */
export function isCreated(
  { status }: CallAnswer,
  { statuses }: Pick<Profile, "statuses">,
): boolean {
  return status === statuses.refundCreated;
}

/** True if the profile's response to a known requestKey has the refund: the flat form has no room. */
export function tellsExisting({ refund, statuses }: Pick<Profile, "refund" | "statuses">): boolean {
  return refund.duplicate === "reject-with-existing" && statuses.errorBody === "problem";
}

/** The refund in the 409 response to a known requestKey, whose schema has been checked. */
export function existingOf({ body }: CallAnswer): Values | undefined {
  const { existing } = body;
  return isRecord(existing) ? existing : undefined;
}

/**
 * Returns a refund's state: the interface reads no refund, but a second call with its key returns it.
 *
 * @returns `undefined` if the profile's duplicates do not have the refund.
 */
export async function statusNow(session: Session, refund: RefundCall): Promise<string | undefined> {
  if (!tellsExisting(session.profile)) return undefined;
  const status = existingOf(await askRefund(session, refund))?.["paymentStatus"];
  return typeof status === "string" ? status : undefined;
}

export type Details =
  | { readonly type: "ALL" }
  | { readonly type: "EVENT" | "CATEGORY"; readonly details: readonly string[] };

export const ALL: Details = { type: "ALL" };

export const onlyEvent = (...details: readonly string[]): Details => ({ type: "EVENT", details });

/** A subscription of the kit's own receiver. */
export interface Subscription {
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly secret: string;
}

interface SubscriptionCall extends Partial<Omit<Subscription, "key">> {
  readonly details?: Details;
  /** Default: the endpoint's. */
  readonly url?: string;
  /** The requirement that fails if the subscription is refused. */
  readonly requirement?: string;
}

/**
 * Subscribes the kit's receiver: by default a new endpoint to everything, with a new secret.
 *
 * @throws {StateMissing} The target has refused it: `serve` refuses loopback, for example.
 */
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
    throw new StateMissing(`${what} was refused: ${shown(answer)}`);
  return { key, endpoint, secret };
}

/** @throws {StateMissing} The answer refuses the address, and nothing else is wrong with the call. */
export function requireAddress({ status, text }: CallAnswer, url: string): void {
  if (status === 400 && /"\/url"|"INVALID_URL"/.test(text))
    throw new StateMissing(
      `the target takes no subscription of ${url} (--callback-url gives another)`,
    );
}

/** A secretKey that no other subscription has. */
export function newSecret(session: Session): string {
  const secret = `${session.key()}-secret-of-the-kit`;
  session.scenario.secrets.add(secret);
  return secret;
}

interface Unsubscribing {
  readonly key: string;
  /** Default: everything. */
  readonly details?: Details;
}

/** Removes a part of a subscription; the key is sent where the profile expects it. */
export function askUnsubscribe(
  session: Session,
  { key, details = ALL }: Unsubscribing,
): Promise<CallAnswer> {
  const { idIn } = session.profile.subscription;
  const path = { body: "", path: `/${key}`, query: `?subscriptionId=${key}` }[idIn];
  const json = { ...(idIn === "body" && { subscriptionId: key }), subscriptionDetails: details };
  return session.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });
}

/** Like `askUnsubscribe`, but it must succeed (P-UNSUBSCRIBE-SUBTRACT). @returns False if it does not. */
export async function unsubscribe(
  session: Session,
  unsubscribing: Unsubscribing,
): Promise<boolean> {
  const answer = await askUnsubscribe(session, unsubscribing);
  const what = `unsubscribing ${JSON.stringify(unsubscribing.details ?? ALL)}`;
  // A success proves nothing yet.
  return answer.status === 200 || session.expectStatus("P-UNSUBSCRIBE-SUBTRACT", what, answer, 200);
}

/** The names that a selection means. */
export function named(details: Details, catalogue: readonly SentEvent[]): ReadonlySet<string> {
  const isMeant = ({ type, category }: SentEvent): boolean =>
    details.type === "ALL" || details.details.includes(details.type === "EVENT" ? type : category);
  return new Set(catalogue.filter(isMeant).map(({ type }) => type));
}

/** Every name of the catalogue, once. */
export function typesOf({ catalogue }: Pick<Sender, "catalogue">): readonly [string, ...string[]] {
  const [first = "", ...others] = new Set(catalogue.map(({ type }) => type));
  return [first, ...others];
}

/**
 * Asks for an access token by client credentials.
 *
 * @param by Where the credentials are sent (RFC 6749, section 2.3.1).
 */
export async function askToken(
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
  const validation = (answer.status < 300 ? validateTokenResponse : validateTokenError)(
    answer.body,
  );
  const faults = validation.ok ? [] : validation.errors;
  session.expect("P-ANSWER-SCHEMA", validation.ok, () => {
    const lines = faults.map(({ pointer, message }) => `${pointer || "the body"} ${message}`);
    return `the token endpoint → ${shown(answer)}: ${lines.join("; ")}`;
  });
  return answer;
}

/** A call that needs the token and moves nothing: of a customer who is not there, or without members. */
export function callWith(
  session: Session,
  token: unknown,
  isUnpaced: boolean = false,
): Promise<CallAnswer> {
  const headers = { authorization: `Bearer ${String(token)}` };
  return session.profile.payments === true
    ? session.call("GET", `/v1/customers/${NOBODY}`, { headers, isUnpaced })
    : session.call("POST", "/v1/webhook/subscribe", { headers, json: {}, isUnpaced });
}

interface Payment {
  readonly cents?: bigint;
  /** Default: a new one. */
  readonly customerId?: string | undefined;
  readonly status?: "processing" | "settled" | "held" | "failed" | "canceled" | "covered";
  readonly settledAt?: string;
  readonly clientReferenceId?: string;
}

/** A debit. Default: of 100.00, which is processing. */
export async function pay(
  session: Session,
  { cents = 10_000n, ...params }: Payment = {},
): Promise<{ readonly paymentId: string; readonly customerId: string }> {
  const order = { status: "processing", ...params, amount: amountText(cents) };
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
