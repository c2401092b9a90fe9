import type { HttpAnswer, HttpCall, Send } from "@countersign/contract-kit";

/** A change to a call or to its answer; or an answer that the service never gave. */
export type CallFault = (call: HttpCall, next: Send) => Promise<HttpAnswer>;

/** A change between the service and the receiver, which sees an attempt only through `next`. */
export type DeliveryFault = (
  attempt: ProxiedAttempt,
  next: (attempt: ProxiedAttempt) => Promise<Delivered>,
) => Promise<Delivered>;

/** The answer to an attempt that the service hears. */
export type Delivered = Pick<HttpAnswer, "status" | "headers">;

/** A fault of calls or deliveries. Created for each target, since some remember calls. */
export type Change =
  | (() => { readonly call: CallFault })
  | (() => { readonly delivery: DeliveryFault });

export interface ProxiedAttempt {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly secretKey: string;
  /** The secret of the last subscription of the same URL. */
  readonly newestSecretKey: string;
  /** Returns headers by the profile's scheme, by default with the subscription's own key. */
  readonly sign: (message: SignedMessage, secretKey?: string) => Record<string, string>;
}

interface SignedMessage {
  readonly id: string;
  /** Seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

type Edit = (text: string) => string;

export const calling =
  (call: CallFault): Change =>
  () => ({ call });

/** Changes the text of calls. */
export const calls = (edit: Edit): Change =>
  calling((call, next) => next(withCallText(call, edit)));

export const callsWith = (
  headersOf: (call: HttpCall) => Readonly<Record<string, string>>,
): Change =>
  calling((call, next) => next({ ...call, headers: { ...call.headers, ...headersOf(call) } }));

/** Changes calls, with a separate memory for each target. */
export const remembering =
  <Value>(faultOf: (memory: Map<string, Value>) => CallFault): Change =>
  () => ({ call: faultOf(new Map()) });

export const answering = (change: (answer: HttpAnswer, call: HttpCall) => HttpAnswer): Change =>
  calling(async (call, next) => change(await next(call), call));

/** Changes the text of answers. */
export const answers = (edit: Edit, where: RegExp = /./): Change =>
  answering((answer, { path }) => (where.test(path) ? withText(answer, edit) : answer));

/** Changes a status, in the answer's text too. */
export const statuses = (from: number, to: number, where: RegExp = /./): Change =>
  answering((answer, { method, path }) =>
    answer.status === from && where.test(`${method} ${path}`) ? withStatus(answer, to) : answer,
  );

/** Drops a header of answers. */
export const answersWithout = (
  name: string,
  isSo: (answer: HttpAnswer, call: HttpCall) => boolean,
) =>
  answering((answer, call) => {
    const { [name]: _, ...headers } = answer.headers;
    return isSo(answer, call) ? { ...answer, headers } : answer;
  });

export const attempts =
  (change: (attempt: ProxiedAttempt) => ProxiedAttempt): Change =>
  () => ({ delivery: (attempt, next) => next(change(attempt)) });

/** Changes the text of each attempt, with a genuine signature. */
export const rewritten = (edit: Edit): Change =>
  attempts((attempt) => resigned(attempt, { text: edit(attempt.body.toString()) }));

/** Changes what happens around an attempt. */
export const delivering =
  (delivery: DeliveryFault): Change =>
  () => ({ delivery });

/** Changes the answer that the service hears. */
export const hearing = (change: (answer: Delivered) => Delivered): Change =>
  delivering(async (attempt, next) => change(await next(attempt)));

export const withText = (answer: HttpAnswer, edit: Edit): HttpAnswer => ({
  ...answer,
  body: Buffer.from(edit(textOf(answer))),
});
export const withStatus = (answer: HttpAnswer, to: number): HttpAnswer => ({
  ...withText(answer, (text) => text.replaceAll(String(answer.status), String(to))),
  status: to,
});
export const withCallText = (call: HttpCall, edit: Edit): HttpCall => ({
  ...call,
  body: edit(textOf(call)),
});
export const textOf = ({ body = "" }: Pick<HttpCall, "body">): string =>
  Buffer.from(body).toString();

/** The name of a delivery: the same for each of its attempts. */
export const nameOf = (attempt: ProxiedAttempt): string =>
  `${attempt.secretKey} ${attempt.url.href} ${eventOf(attempt).id}`;

/** The event of an attempt. The service behind the proxy is ours, which sends the standard envelope. */
export const eventOf = ({ body }: Pick<ProxiedAttempt, "body">): { id: string; type: string } =>
  JSON.parse(body.toString()) as { id: string; type: string };

/** The attempt with other bytes, and a signature that is genuine for them. */
export function resigned(
  attempt: ProxiedAttempt,
  change: { readonly text?: string; readonly timestamp?: number; readonly secretKey?: string },
): ProxiedAttempt {
  const body = change.text === undefined ? attempt.body : Buffer.from(change.text);
  const { id } = eventOf({ body });
  const timestamp = change.timestamp ?? seconds();
  const signature = attempt.sign({ id, timestamp, body }, change.secretKey);
  return { ...attempt, body, headers: { ...attempt.headers, ...signature } };
}

export const seconds = (): number => Math.floor(Date.now() / 1000);

export const made = (status: number, body: object): HttpAnswer => ({
  status,
  headers: { "content-type": status < 400 ? "application/json" : "application/problem+json" },
  body: Buffer.from(JSON.stringify(body)),
});

/** A made-up answer to a refund. */
export const refund = (paymentStatus: string): HttpAnswer =>
  made(201, { paymentId: "ref_made_up", paymentStatus, clientReferenceId: null });
