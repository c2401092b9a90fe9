import type { OpenedNamespace, RunningSandbox } from "@countersign/sandbox/internal";
import type { Profile } from "@countersign/schemas/profiles";
import { senderOf } from "@countersign/schemas/provider-of";
import { listPayments, type Completion } from "@countersign/service/internal";
import { printable } from "./printable.ts";

/**
 * One line of a delivery's attempt: real time, type, endpoint, status or error, duration, and what follows.
 *
 * `05:54:11  payment.succeeded  POST localhost:3000/webhooks  500  62 ms  retry 2 in 5 s`
 */
export function attemptLine(completion: Completion, profile: Profile, now: Date): string {
  const { attempt } = completion;
  const { answer, delivery, durationMs, endpoint } = attempt;
  const { host, pathname } = new URL(endpoint.url);
  const columns = [
    now.toTimeString().slice(0, 8),
    typeOf(delivery.payload, senderOf(profile).envelope.type),
    `POST ${host}${pathname}`,
    answer.kind === "answered" ? String(answer.status) : errorText(answer.code),
    `${Math.round(durationMs)} ms`,
    outcomeOf(completion),
  ];
  return printable(columns.join("  "));
}

/** `CS_ATTEMPT_CONNECTION_LOST` as `connection lost`. */
function errorText(code: string): string {
  return code.replace("CS_ATTEMPT_", "").replaceAll("_", " ").toLowerCase();
}

function outcomeOf({ attempt, state, nextAt, at }: Completion): string {
  switch (state) {
    case "delivered":
      return "delivered";
    case "exhausted":
      return "gave up";
    case "dropped":
      return "dropped: the subscription is closed";
    case "waiting":
      return `retry ${attempt.number + 1} in ${durationText((nextAt ?? at) - at)}`;
    default:
      return state satisfies never;
  }
}

function typeOf(payload: string, pointer: string): string {
  let value: unknown = JSON.parse(payload);
  for (const name of pointer.slice(1).split("/"))
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === "string" ? value : "event";
}

/** Whole seconds, minutes or hours. */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** The lines of `--examples`: curl commands, and a new database's API client. */
export async function exampleLines(
  { service }: RunningSandbox,
  { merchant, seeded }: OpenedNamespace,
  { profile, ...how }: Omit<FirstCalls, "paymentId" | "eventType"> & { readonly profile: Profile },
): Promise<readonly string[]> {
  const payments = await listPayments(service.driver, { merchantId: merchant.id, limit: 1000 });
  const refundable = payments.find(
    (one) =>
      one.direction === "DEBIT" &&
      one.status === "SUCCEEDED" &&
      !one.covered &&
      one.amountCents - one.reservedCents >= 100n,
  );
  const client =
    seeded && `API client  ${seeded.clientId}  ${seeded.clientSecret} (shown only once)`;
  const eventType = profile.payments === true ? undefined : senderOf(profile).catalogue[0]?.type;
  const calls = firstCalls({ paymentId: refundable?.id, eventType, ...how });
  return client === undefined ? calls : [client, ...calls];
}

/** Values that the calls to try contain. */
export interface FirstCalls {
  readonly url: string;
  /** A shell expression that yields the token. */
  readonly token: string;
  /** A SUCCEEDED payment of which at least 1.00 can be refunded, if there is one. */
  readonly paymentId: string | undefined;
  /** The type of an event to write, if the profile has no payments. */
  readonly eventType?: string | undefined;
  /** True if an endpoint is subscribed already. */
  readonly isSubscribed: boolean;
}

/**
 * Calls to try first: a subscription, a refund, and the days until it is authorized; without payments an event in
 * place of the refund. The token is not in the lines, and so not in the shell's history. They use only `-H` and `-d`: `--json` needs curl 7.82.
 */
export function firstCalls({
  url,
  token,
  paymentId,
  eventType,
  isSubscribed,
}: FirstCalls): string[] {
  const curl = 'curl -H "authorization: Bearer $TOKEN"';
  const send = (json: string): string => `-H "content-type: application/json" -d '${json}'`;
  const subscription = JSON.stringify({
    url: "http://localhost:3000/webhooks",
    secretKey: "a-secret-of-your-own-choice",
    subscriptionDetails: { type: "ALL" },
  });
  // Each call gets a new key; the amount keeps its digits.
  const refund = `{"paymentId":"${paymentId}","amount":{"currency":"USD","value":1.00},"requestKey":"'$(date +%s)'"}`;
  const calls = [
    ...(eventType === undefined ? [`${curl} ${url}/sandbox/payments`] : []),
    ...(isSubscribed ? [] : [`${curl} ${send(subscription)} ${url}/v1/webhook/subscribe`]),
    ...(paymentId === undefined ? [] : [`${curl} ${send(refund)} ${url}/v1/refunds`]),
    ...(eventType === undefined
      ? []
      : [`${curl} ${send(JSON.stringify({ type: eventType }))} ${url}/sandbox/events`]),
    `${curl} -X PUT ${send('{"advance":"P7D"}')} ${url}/sandbox/clock`,
    `${curl} ${url}/sandbox/deliveries`,
  ];
  const hint = "          (or start with --deliver-to http://localhost:3000/webhooks to subscribe)";
  return [
    `try       TOKEN=${token}`,
    ...calls.map((line) => `          ${line}`),
    ...(isSubscribed ? [] : [hint]),
  ];
}
