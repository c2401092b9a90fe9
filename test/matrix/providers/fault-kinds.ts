import type { HttpAnswer, HttpCall, Send } from "@countersign/contract-kit";

/** A service that breaks one requirement, and keeps the rest. */
export interface Broken {
  /** The check that finds it. */
  readonly check: string;
  readonly requirement: string;
  readonly what: string;
  /** Other requirements that catch it, each with the reason why they must. */
  readonly also?: Readonly<Record<string, string>>;
  /** Whether the quick lane has it: one or two of each check, found soon. */
  readonly isQuick?: boolean;
  /** What goes wrong with calls. Made anew for each test: some keep what they have seen. */
  readonly fault?: () => CallFault;
  /** What goes wrong with deliveries; likewise. */
  readonly delivery?: () => DeliveryFault;
}

/** What stands between the kit and the service: it changes calls or answers, or makes some up. */
export type CallFault = (call: HttpCall, next: Send) => Promise<HttpAnswer>;

/** What stands between the service and the receiver, which sees `attempt` through `next` alone. */
export type DeliveryFault = (
  attempt: ProxiedAttempt,
  next: (attempt: ProxiedAttempt) => Promise<Delivered>,
) => Promise<Delivered>;

/** What came of an attempt: the service hears of it what a fault returns. */
export type Delivered = Pick<HttpAnswer, "status" | "headers">;

export interface ProxiedAttempt {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** What the subscription's attempts are signed with. */
  readonly secretKey: string;
  /** The secret of the last subscription of the same url. */
  readonly newestSecretKey: string;
  /** Headers by the profile's scheme, with the attempt's own key by default. */
  readonly sign: (message: SignedMessage, secretKey?: string) => Record<string, string>;
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/** An answer with other text in its body. */
export function withText(answer: HttpAnswer, change: (text: string) => string): HttpAnswer {
  return { ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
}

/** A call with other text in its body. */
export function withCallText(call: HttpCall, change: (text: string) => string): HttpCall {
  return { ...call, body: change(Buffer.from(call.body ?? "").toString()) };
}

/** A call's body as text. */
export function bodyOf({ body = "" }: HttpCall): string {
  return Buffer.from(body).toString();
}

/** The event that an attempt is of, in the standard envelope. */
export function eventOf({ body }: ProxiedAttempt): StandardEvent {
  // The service's own, behind which this stands.
  return JSON.parse(body.toString()) as StandardEvent;
}

export interface StandardEvent {
  readonly id: string;
  readonly type: string;
  readonly category: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The attempt with other bytes, and a signature that is genuine for them. */
export function resigned(
  attempt: ProxiedAttempt,
  change: { readonly text?: string; readonly timestamp?: number; readonly secretKey?: string },
): ProxiedAttempt {
  const body = change.text === undefined ? attempt.body : Buffer.from(change.text);
  const { id } = eventOf({ ...attempt, body });
  const timestamp = change.timestamp ?? Math.floor(Date.now() / 1000);
  const signature = attempt.sign({ id, timestamp, body }, change.secretKey);
  return { ...attempt, body, headers: { ...attempt.headers, ...signature } };
}

export const answers =
  (change: (text: string) => string, where: RegExp = /./): (() => CallFault) =>
  () =>
  async (call, next) => {
    const answer = await next(call);
    return where.test(call.path) ? withText(answer, change) : answer;
  };
export const calls =
  (change: (text: string) => string): (() => CallFault) =>
  () =>
  (call, next) =>
    next(withCallText(call, change));
export const statuses =
  (from: number, to: number, where: RegExp = /./): (() => CallFault) =>
  () =>
  async (call, next) => {
    const answer = await next(call);
    return answer.status === from && where.test(`${call.method} ${call.path}`)
      ? { ...withText(answer, (text) => text.replaceAll(String(from), String(to))), status: to }
      : answer;
  };
export const refund = (status: string): HttpAnswer => ({
  status: 201,
  headers: { "content-type": "application/json" },
  body: Buffer.from(
    `{"paymentId":"ref_made_up","paymentStatus":"${status}","clientReferenceId":null}`,
  ),
});
export const keyOf = (body: unknown): string =>
  /"requestKey":"([^"]*)"/.exec(Buffer.from((body ?? "") as string).toString())?.[1] ?? "";
