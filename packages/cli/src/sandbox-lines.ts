import type { Profile } from "@countersign/schemas/profiles";
import type { Completion } from "@countersign/service/internal";
import { printable } from "./printable.ts";

/**
 * One line of a delivery's attempt: real time, type, endpoint, status or error, duration, and what follows.
 *
 * `05:54:11  payment.succeeded  POST localhost:3000/webhooks  500  62 ms  retry 2 in 5 s`
 */
export function attemptLine(completion: Completion, { envelope }: Profile, now: Date): string {
  const { attempt } = completion;
  const { answer, delivery, durationMs, endpoint } = attempt;
  const { host, pathname } = new URL(endpoint.url);
  const columns = [
    now.toTimeString().slice(0, 8),
    typeOf(delivery.payload, envelope.type),
    `POST ${host}${pathname}`,
    answer.kind === "answered" ? String(answer.status) : answer.code,
    `${Math.round(durationMs)} ms`,
    outcomeOf(completion),
  ];
  return printable(columns.join("  "));
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

/** What the calls to try are about. */
export interface FirstCalls {
  readonly url: string;
  /** What the shell makes the token of. */
  readonly token: string;
  /** A SUCCEEDED payment of which 1.00 and more can be refunded; `undefined` where there is none. */
  readonly paymentId: string | undefined;
  /** Whether events go to an address already. */
  readonly isSubscribed: boolean;
}

/**
 * What somebody may try first: a subscription, a refund, and the time that it waits for. The token stays
 * out of the lines, and so out of the shell's history. `-H` and `-d` alone: `--json` came with curl 7.82.
 */
export function firstCalls({ url, token, paymentId, isSubscribed }: FirstCalls): string[] {
  const curl = 'curl -H "authorization: Bearer $TOKEN"';
  const send = (json: string): string => `-H "content-type: application/json" -d '${json}'`;
  const subscription = JSON.stringify({
    url: "http://localhost:3000/webhooks",
    secretKey: "a-secret-of-your-own-choice",
    subscriptionDetails: { type: "ALL" },
  });
  // The key is another one at each call; the amount keeps its digits.
  const refund = `{"paymentId":"${paymentId}","amount":{"currency":"USD","value":1.00},"requestKey":"'$(date +%s)'"}`;
  const calls = [
    `${curl} ${url}/sandbox/payments`,
    ...(isSubscribed ? [] : [`${curl} ${send(subscription)} ${url}/v1/webhook/subscribe`]),
    ...(paymentId === undefined ? [] : [`${curl} ${send(refund)} ${url}/v1/refunds`]),
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
