import type { Profile } from "@countersign/schemas";
import { validateTokenError, validateTokenResponse } from "@countersign/schemas/writers";
import { basicOf, type Credentials } from "../http-send.ts";
import type { Reading, Session } from "./session.ts";
import { must, NotShown } from "./judge.ts";

/** A refund request, its amount as the text of a JSON value. */
export interface RefundCall {
  readonly paymentId: string;
  readonly amount: string;
  /** Default: a new one. */
  readonly requestKey?: string;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** `POST /v1/refunds`, with the amount's text untouched. */
export function askRefund(
  session: Session,
  { paymentId, amount, requestKey = session.key(), more = {} }: RefundCall,
): Promise<Reading> {
  const members = Object.entries({ paymentId, requestKey, ...more }).map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  );
  const text = `{"amount":{"currency":"USD","value":${amount}},${members.join(",")}}`;
  return session.call("POST", "/v1/refunds", { text });
}

/** Cents as the text of an amount, with two digits. */
export function amountText(cents: bigint): string {
  return `${String(cents / 100n)}.${String(cents % 100n).padStart(2, "0")}`;
}

/** True if a refund record was made. */
export function isCreated({ status }: Reading, { statuses }: Profile): boolean {
  return status === statuses.refundCreated;
}

/** `status code` of a refusal, or the refund's state: the summary of an answer in messages. */
export function shown({ status, body }: Reading): string {
  const details = body["errorDetails"];
  const code =
    typeof details === "object" && details !== null && "errorCode" in details
      ? details.errorCode
      : body["errorCode"];
  const words = [body["paymentStatus"], code].filter((one) => typeof one === "string");
  return [String(status), ...words].join(" ");
}

/** @throws {Violation} The status is another one. */
export function requireStatus(
  requirement: string,
  what: string,
  answer: Reading,
  wanted: number,
): void {
  must(requirement, answer.status === wanted, () => {
    return `${what}: expected ${wanted}, got ${shown(answer)}`;
  });
}

/** The refund in the 409 response to a known requestKey. */
export interface Existing {
  readonly paymentId: unknown;
  readonly paymentStatus: unknown;
  readonly sameRequest: unknown;
}

/** True if the profile's response to a known requestKey has the refund: the flat form has no room. */
export function tellsExisting({ refund, statuses }: Profile): boolean {
  return refund.duplicate === "reject-with-existing" && statuses.errorBody === "problem";
}

export function existingOf({ body }: Reading): Existing | undefined {
  const { existing } = body;
  // The schema of the problem body has been checked; only the member's presence is left to check.
  return existing as Existing | undefined;
}

/**
 * Returns a refund's state: the interface reads no refund, but a second call with its key returns it.
 *
 * @returns `undefined` if the profile's duplicates do not have the refund.
 */
export async function statusNow(
  session: Session,
  refund: { readonly paymentId: string; readonly cents: bigint; readonly requestKey: string },
): Promise<string | undefined> {
  if (!tellsExisting(session.target.profile)) return undefined;
  const { paymentId, requestKey } = refund;
  const answer = await askRefund(session, {
    paymentId,
    requestKey,
    amount: amountText(refund.cents),
  });
  const status = existingOf(answer)?.paymentStatus;
  return typeof status === "string" ? status : undefined;
}

export type Details =
  | { readonly type: "ALL" }
  | { readonly type: "EVENT" | "CATEGORY"; readonly details: readonly string[] };

export const ALL: Details = { type: "ALL" };

export const onlyEvent = (...details: readonly string[]): Details => ({ type: "EVENT", details });

export interface Subscribing {
  /** The requirement that fails if a valid subscription is refused. */
  readonly requirement: string;
  readonly url: string;
  readonly details?: Details;
  /** Default: a new text. */
  readonly secretKey?: string;
}

/**
 * Subscribes, to everything by default.
 *
 * @returns The subscription's key.
 * @throws {NotShown} The target refuses addresses such as the kit's: `serve` refuses loopback, for example.
 */
export async function subscribe(
  session: Session,
  { requirement, url, details = ALL, secretKey = newSecret(session) }: Subscribing,
): Promise<string> {
  const json = { url, secretKey, subscriptionDetails: details };
  const answer = await session.call("POST", "/v1/webhook/subscribe", { json });
  requireAddress(answer, url);
  const { subscribed: wanted } = session.target.profile.statuses;
  must(
    requirement,
    answer.status === wanted,
    () => `subscribing to ${JSON.stringify(details)}: expected ${wanted}, got ${shown(answer)}`,
  );
  return String(answer.body["subscriptionKey"]);
}

/** @throws {NotShown} The answer refuses the address, and nothing else is wrong with the call. */
export function requireAddress({ status, text }: Reading, url: string): void {
  if (status === 400 && /"\/url"|"INVALID_URL"/.test(text))
    throw new NotShown(`the target takes no subscription of ${url} (--callback-url gives another)`);
}

/** A secretKey that no other subscription has. */
export function newSecret(session: Session): string {
  return `${session.key()}-secret-of-the-kit`;
}

/** Removes a part of a subscription; the key is sent where the profile expects it. */
export function askUnsubscribe(
  session: Session,
  { key, details = ALL }: { readonly key: string; readonly details?: Details },
): Promise<Reading> {
  const { idIn } = session.target.profile.subscription;
  const told = { subscriptionDetails: details };
  const call = (path: string, json: object): Promise<Reading> =>
    session.call("PUT", `/v1/webhook/unsubscribe${path}`, { json });
  switch (idIn) {
    case "body":
      return call("", { subscriptionId: key, ...told });
    case "path":
      return call(`/${key}`, told);
    case "query":
      return call(`?subscriptionId=${key}`, told);
    default:
      return idIn satisfies never;
  }
}

/** Like `askUnsubscribe`, but it must succeed. */
export async function unsubscribe(
  session: Session,
  { key, details = ALL }: { readonly key: string; readonly details?: Details },
): Promise<void> {
  const { closed } = session.target.profile.subscription;
  const answer = await askUnsubscribe(session, { key, details });
  // If a profile refuses closed subscriptions, removing the rest ends this one.
  const isAllowed =
    answer.status === 200 || (closed !== "ok" && [404, 410].includes(answer.status));
  must(
    "P-UNSUBSCRIBE-SUBTRACT",
    isAllowed,
    () => `unsubscribing ${JSON.stringify(details)}: expected 200, got ${shown(answer)}`,
  );
}

/** The names that a selection means. */
export function named(details: Details, catalogue: Profile["catalogue"]): ReadonlySet<string> {
  const isMeant = ({ type, category }: Profile["catalogue"][number]): boolean =>
    details.type === "ALL" || details.details.includes(details.type === "EVENT" ? type : category);
  return new Set(catalogue.filter(isMeant).map(({ type }) => type));
}

/** Every name of the catalogue, once. */
export function typesOf({ catalogue }: Profile): readonly string[] {
  return [...new Set(catalogue.map(({ type }) => type))];
}

export interface TokenCall {
  readonly client: Credentials;
  /** The place of the credentials (RFC 6749, section 2.3.1). */
  readonly by: "basic" | "body";
  readonly scope?: string;
}

/**
 * Asks for an access token by client credentials.
 *
 * @throws {Violation} `P-ANSWER-SCHEMA`: the answer does not match its schema.
 */
export async function askToken(
  session: Session,
  { client, by, scope }: TokenCall,
): Promise<Reading> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    ...(scope !== undefined && { scope }),
    ...(by === "body" && { client_id: client.id, client_secret: client.secret }),
  });
  const answer = await session.call("POST", session.target.profile.token.path, {
    text: form.toString(),
    headers: {
      authorization: by === "basic" ? `Basic ${basicOf(client)}` : undefined,
      "content-type": "application/x-www-form-urlencoded",
    },
    isUnjudged: true,
  });
  const judge = answer.status < 300 ? validateTokenResponse : validateTokenError;
  const validation = judge(answer.body);
  must("P-ANSWER-SCHEMA", validation.ok, () => {
    const faults = validation.ok ? [] : validation.errors;
    const lines = faults.map(({ pointer, message }) => `${pointer || "the body"} ${message}`);
    return `the token endpoint → ${shown(answer)}: ${lines.join("; ")}`;
  });
  return answer;
}

/** A call that needs the token and moves nothing: of a customer who is not there, or without members. */
export function callWith(session: Session, token: unknown): Promise<Reading> {
  const headers = { authorization: `Bearer ${String(token)}` };
  return session.target.profile.payments === true
    ? session.call("GET", "/v1/customers/cus_that_is_not_there", { headers })
    : session.call("POST", "/v1/webhook/subscribe", { headers, json: {} });
}

/** A debit of a new customer. Default: of 100.00, which is processing. */
export async function pay(
  session: Session,
  {
    cents = 10_000n,
    ...params
  }: {
    readonly cents?: bigint;
    /** Default: a new one. */
    readonly customerId?: string;
    readonly status?: "processing" | "settled" | "held" | "failed" | "canceled" | "covered";
    readonly settledAt?: string;
    readonly requestKey?: string;
    readonly clientReferenceId?: string;
  } = {},
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
export function textOf(values: Readonly<Record<string, unknown>>, name: string): string {
  const value = values[name];
  if (typeof value !== "string") throw new Error(`the answer of a state has no ${name}`);
  return value;
}
