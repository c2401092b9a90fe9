import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { parseJson, messageOf } from "../values.ts";
import type { HttpAnswer, HttpCall, Send } from "../http-send.ts";
import type { AnswerAttempt, Place, ProviderTarget, Watch } from "../target.ts";
import type { RecordedCall } from "../exchange-text.ts";
import { answerFaults, must, NotShown, Violation } from "./judge.ts";
import { changeState, type Values } from "./provider-states.ts";

/** A merchant's conversation with a provider, in one scenario. */
export interface Session {
  readonly target: ProviderTarget;
  readonly token: string;
  /** @throws {NotShown} The merchant has no client that may ask for tokens. */
  readonly client: () => NonNullable<ProviderTarget["client"]>;
  /** True if no other scenario uses the merchant. */
  readonly isFresh: boolean;
  readonly options: SessionOptions;
  /** A requestKey that no scenario had before. */
  readonly key: (name?: string | number) => string;
  /**
   * @throws {Violation} `P-ANSWER-SCHEMA`: the answer is not what its schema says, or none came from a
   *   target that has answered before.
   */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Reading>;
  /** Prepares a state of this merchant. @throws {NotShown} The provider has no such state. */
  readonly state: (name: string, params?: Values) => Promise<Values>;
  /** A place for deliveries of this scenario's own. @throws {NotShown} Nothing can be delivered to the kit. */
  readonly receive: (answer?: AnswerAttempt) => Place;
  /** An address for a subscription, whether or not anything listens there. */
  readonly callbackUrl: () => string;
}

interface CallOptions {
  /** Sent unchanged. */
  readonly text?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Replaces the common headers of S 1; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** True to skip the validation of the response's body. Default false. */
  readonly isUnjudged?: boolean;
}

export interface Reading {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body's members, as JSON; empty if it is not an object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SessionOptions {
  readonly recorder: Recorder;
  /** The places of all conversations of the scenario. */
  readonly places: Place[];
  /** The part that makes keys unique. */
  readonly run: string;
  /** First time of a new merchant's clock in milliseconds. */
  readonly now: number;
}

/** Timeout of a scenario in milliseconds, so that a slow target cannot hold a run for hours. */
const SCENARIO_MS = 100_000;

/**
 * Opens a conversation with a new merchant, or with the target's own if no state makes one.
 *
 * @throws {Error} by `call`: the scenario takes too long, which says nothing about a requirement.
 */
export async function openSession(
  given: ProviderTarget,
  options: SessionOptions,
): Promise<Session> {
  const { recorder, places, run } = options;
  const { target, isFresh } = await withMerchant(given, options);
  const token = await target.token();
  const send = recorder.watch(target.send, target.url);
  const startedAt = performance.now();
  let keys = 0;
  const receive = (answer?: AnswerAttempt): Place => {
    const place = target.receiver?.open(answer);
    if (place === undefined) throw new NotShown("nothing can be delivered to the kit");
    places.push(place);
    return place;
  };
  return {
    target,
    token,
    isFresh,
    options,
    receive,
    client: () => {
      if (target.client !== undefined) return target.client;
      throw new NotShown("the target's merchant has no client that may ask for tokens");
    },
    state: (name, params = {}) => {
      if (target.states === undefined)
        throw new NotShown(`no state-change URL prepares the state "${name}"`);
      const order = { state: name, params: { accessToken: token, ...params } };
      return changeState(target.states, order, recorder.watch);
    },
    // Most services accept only https, and a reserved name never resolves (RFC 2606).
    callbackUrl: () =>
      target.receiver?.isSecure === true || (isFresh && target.receiver !== undefined)
        ? receive().url
        : "https://receiver.invalid/webhooks",
    key: (name = `n${String(keys++)}`) => `${run}-${name}`,
    call: async (method, path, sent = {}) => {
      const { json, isUnjudged = false } = sent;
      const text = json === undefined ? sent.text : JSON.stringify(json);
      const common = {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        "content-type": "application/json",
      };
      const headers = Object.fromEntries(
        Object.entries({ ...common, ...sent.headers }).filter(
          (entry): entry is [string, string] => entry[1] !== undefined,
        ),
      );
      const call: HttpCall = { method, path, headers, ...(text !== undefined && { body: text }) };
      if (performance.now() - startedAt > SCENARIO_MS)
        throw new Error(`the target takes too long: ${recorder.exchanges.length} calls in 100 s`);
      const answer = await answered(send, call, recorder);
      const said = Buffer.from(answer.body).toString();
      const body = parseJson(said);
      if (!isUnjudged) {
        const contentType = answer.headers["content-type"] ?? "";
        const judged = { method, path, status: answer.status, contentType, body };
        const faults = answerFaults(judged, target.profile, (place) =>
          target.additions?.add(place),
        );
        must(
          "P-ANSWER-SCHEMA",
          faults.length === 0,
          () => `${method} ${path} → ${answer.status}: ${faults.join("; ")}`,
        );
      }
      const members = typeof body === "object" && body !== null ? body : {};
      // An object of JSON has members of any kind.
      return { ...answer, text: said, body: members as Readonly<Record<string, unknown>> };
    },
  };
}

async function withMerchant(
  target: ProviderTarget,
  { recorder, now }: SessionOptions,
): Promise<{ readonly target: ProviderTarget; readonly isFresh: boolean }> {
  if (target.states === undefined) return { target, isFresh: false };
  const order = { state: "a merchant", params: { now: new Date(now).toISOString() } };
  const made = await changeState(target.states, order, recorder.watch);
  const { accessToken, clientId: id, clientSecret: secret } = made;
  // A provider without states of merchants has one merchant.
  if (typeof accessToken !== "string") return { target, isFresh: false };
  const { client: _, ...rest } = target;
  const hasClient = typeof id === "string" && typeof secret === "string";
  const token = (): Promise<string> => Promise.resolve(accessToken);
  return {
    target: { ...rest, token, ...(hasClient && { client: { id, secret } }) },
    isFresh: true,
  };
}

/** Another merchant in the same scenario, or `undefined`. */
export async function openBeside(session: Session): Promise<Session | undefined> {
  const { target, options, isFresh } = session;
  if (isFresh) return openSession(target, options);
  return target.other === undefined ? undefined : openSession(target.other, options);
}

/** A state that a scenario can do without; `undefined` if the provider does not have it. */
export async function maybe<T>(prepared: () => Promise<T>): Promise<T | undefined> {
  try {
    return await prepared();
  } catch (error) {
    if (error instanceof NotShown) return undefined;
    throw error;
  }
}

/** The time of the merchant's clock in milliseconds. @throws {NotShown} The provider does not show it. */
export async function timeOf(session: Session): Promise<number> {
  const { now } = await session.state("the time");
  const at = typeof now === "number" ? now : Date.parse(String(now));
  if (Number.isNaN(at)) throw new Error(`the state "the time" answered no time: ${String(now)}`);
  return at;
}

/** Moves the merchant's clock forward. What became due on the way has been done. */
export async function moveTo(session: Session, at: number): Promise<void> {
  await session.state("the time", { to: new Date(at).toISOString() });
}

/** Milliseconds of real time that a check waits if the target's clock cannot be moved. */
const MAX_REAL_MS = 10_000;
/** Milliseconds in which an unwanted delivery would have arrived, if no clock can be moved. */
const QUIET_MS = 500;

/** True if a check can let that much time pass. */
export async function canPass(session: Session, ms: number): Promise<boolean> {
  return ms <= MAX_REAL_MS || (await maybe(() => timeOf(session))) !== undefined;
}

/** Lets time pass at the target: by its clock, or by waiting. What became due has been done. */
export async function pass(session: Session, ms: number): Promise<void> {
  const now = await maybe(() => timeOf(session));
  if (now === undefined) await setTimeout(ms);
  else await moveTo(session, now + ms);
}

/** Waits until what is due now has been attempted. */
export async function settled(session: Session): Promise<void> {
  const now = await maybe(() => timeOf(session));
  if (now === undefined) await setTimeout(QUIET_MS);
  else await moveTo(session, now + 1);
}

/**
 * The range, in milliseconds after a failed attempt, in which the next one must arrive: from just before
 * its earliest to just after its latest instant. Whole seconds, since some clocks have no fractions; one of them may
 * have passed while the first attempt was settled.
 */
export function windowOf(
  stepSeconds: number,
  jitter: number,
): { readonly before: number; readonly after: number } {
  return {
    before: Math.max(0, Math.ceil(stepSeconds * (1 - jitter)) - 2) * 1000,
    after: (Math.floor(stepSeconds * (1 + jitter)) + 1) * 1000,
  };
}

/** The unique part of a scenario's keys: short, since a shell shows it. */
export function newRun(): string {
  return `check-${randomUUID().slice(0, 13)}`;
}

/** A target that answered before and does not answer this call has failed; otherwise no target is there. */
async function answered(send: Send, call: HttpCall, recorder: Recorder): Promise<HttpAnswer> {
  try {
    return await send(call);
  } catch (error) {
    if (recorder.exchanges.every((one) => one.answer === undefined)) throw error;
    const reason = messageOf(error);
    throw new Violation("P-ANSWER-SCHEMA", `${call.method} ${call.path}: no answer (${reason})`);
  }
}

/** Keeps the calls of one scenario, in the order in which they were sent. */
export interface Recorder {
  readonly exchanges: readonly RecordedCall[];
  readonly watch: Watch;
}

export function openRecorder(): Recorder {
  const exchanges: RecordedCall[] = [];
  return {
    exchanges,
    watch: (send, url) => async (call) => {
      const place = exchanges.push({ url, call, answer: undefined }) - 1;
      const answer: HttpAnswer = await send(call);
      exchanges[place] = { url, call, answer };
      return answer;
    },
  };
}
