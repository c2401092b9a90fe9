import { setTimeout } from "node:timers/promises";
import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import { containsSecret } from "../redact.ts";
import { isRecord, messageOf, parseJson } from "../values.ts";
import { basicOf, type HttpAnswer, type HttpCall, type Send } from "../http-send.ts";
import type { ProviderTarget } from "../target.ts";
import type { AnswerAttempt, Endpoint } from "../harness/endpoints.ts";
import { answerFaults } from "./answer-schema.ts";
import { changeState, StateMissing, type Values } from "./provider-states.ts";
import type { Scenario } from "./scenario.ts";

interface CallOptions {
  /** Sent unchanged. */
  readonly text?: string;
  readonly json?: unknown;
  /** Replaces the common headers of S 1; `undefined` removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** True to skip the validation of the response's body. Default false. */
  readonly isUnchecked?: boolean;
  /** True to send it without waiting for the target's rate limits. Default false. */
  readonly isUnpaced?: boolean;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body's members, as JSON; empty if it is not an object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** A likely cause of a refusal, as an end of a sentence. */
  readonly hint?: string;
}

const SCHEMA = "P-ANSWER-SCHEMA";
const NO_SECRETS = "P-ANSWER-NO-SECRETS";

const ENDED_HINT =
  " (the clock was moved before: the tokens of a state must outlive it, and end in real time only)";

/** Milliseconds of real time that a check waits if the target's clock cannot be moved. */
const MAX_REAL_MS = 10_000;
/** Milliseconds in which an unwanted delivery would have arrived, if no clock can be moved. */
const QUIET_MS = 500;

/** Opens a conversation with a new merchant, or with the target's own if no state makes one. */
export async function openSession(
  given: ProviderTarget,
  scenario: Scenario,
  now: number = scenario.now,
): Promise<Session> {
  const { client: _, ...target } = given;
  const { states } = target;
  const made =
    states && (await changeState(scenario.recording(states), "a merchant", { now: isoTime(now) }));
  const { accessToken: token, clientId: id, clientSecret: secret } = made ?? {};
  // A provider without states of merchants has one merchant.
  if (typeof token !== "string")
    return new Session(given, scenario, { token: await given.token(), isFresh: false });
  const hasClient = typeof id === "string" && typeof secret === "string";
  const client = hasClient ? { client: { id, secret } } : {};
  const merchant = { ...target, ...client, token: () => Promise.resolve(token) };
  return new Session(merchant, scenario, { token, isFresh: true });
}

/** A merchant's conversation with a provider, in one scenario. */
export class Session {
  readonly target: ProviderTarget;
  readonly profile: ResolvedProfile;
  readonly scenario: Scenario;
  readonly expect: Scenario["expect"];
  readonly expectEqual: Scenario["expectEqual"];
  readonly notApplicable: Scenario["notApplicable"];
  readonly token: string;
  /** True if no other scenario uses the merchant. */
  readonly isFresh: boolean;
  #keys = 0;

  constructor(
    target: ProviderTarget,
    scenario: Scenario,
    { token, isFresh }: { readonly token: string; readonly isFresh: boolean },
  ) {
    this.target = target;
    this.profile = resolveProfile(target.profile);
    this.scenario = scenario;
    this.expect = scenario.expect.bind(scenario);
    this.expectEqual = scenario.expectEqual.bind(scenario);
    this.notApplicable = scenario.notApplicable.bind(scenario);
    this.token = token;
    this.isFresh = isFresh;
    scenario.secrets.add(token);
    const { client } = target;
    if (client !== undefined) scenario.secrets.add(client.secret).add(basicOf(client));
  }

  /** A requestKey that no scenario had before. */
  key(name: string | number = `n${String(this.#keys++)}`): string {
    return `${this.scenario.run}-${name}`;
  }

  /** @throws {StateMissing} The merchant has no client that may ask for tokens. */
  get client(): NonNullable<ProviderTarget["client"]> {
    if (this.target.client !== undefined) return this.target.client;
    throw new StateMissing("the target's merchant has no client that may ask for tokens");
  }

  expectStatus(requirement: string, what: string, answer: CallAnswer, wanted: number): boolean {
    const other = `${what}: expected ${wanted}, got ${summary(answer)}`;
    return this.expect(requirement, answer.status === wanted, other);
  }

  async other(): Promise<Session | undefined> {
    const other = this.isFresh ? this.target : this.target.other;
    return other && openSession(other, this.scenario);
  }

  /**
   * Sends a call, and judges its answer: its schema, and that it contains no secret.
   *
   * @throws {Error} No answer came, or the scenario takes too long.
   */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const { json, text = json === undefined ? undefined : JSON.stringify(json) } = options;
    const all = {
      authorization: `Bearer ${this.token}`,
      accept: "application/json",
      "content-type": "application/json",
      ...options.headers,
    };
    const headers = Object.fromEntries(
      Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined),
    );
    this.scenario.requireTime();
    const { send, sendUnpaced = send } = this.target;
    const call = { method, path, headers, ...(text !== undefined && { body: text }) };
    const answer = await this.#send(call, options.isUnpaced === true ? sendUnpaced : send);
    const parsed = parseJson(answer.body);
    const body = isRecord(parsed) ? parsed : {};
    if (typeof body["subscriptionKey"] === "string" && method === "POST")
      this.scenario.subscriptions.push(body["subscriptionKey"]);
    // A check may send the token in the query.
    const what = `${method} ${path.replaceAll(this.token, "…")} → ${answer.status}`;
    if (options.isUnchecked !== true) {
      const contentType = answer.headers["content-type"] ?? "";
      const validated = { method, path, status: answer.status, contentType, body: parsed };
      for (const [requirement, lines] of Object.entries(answerFaults(validated, this.profile)))
        this.expect(requirement, lines.length === 0, `${what}: ${lines.join("; ")}`);
    }
    this.#expectNoSecret(what, path, answer);
    const isOwnToken = headers["authorization"] === `Bearer ${this.token}`;
    const isEnded = answer.status === 401 && isOwnToken && this.scenario.hasMovedTime;
    return {
      ...answer,
      text: Buffer.from(answer.body).toString(),
      body,
      ...(isEnded && { hint: ENDED_HINT }),
    };
  }

  /** A target that answered before and does not answer this call has failed; otherwise no target is there. */
  async #send(call: HttpCall, send: Send): ReturnType<Send> {
    try {
      return await this.scenario.recording({ url: this.target.url, send }).send(call);
    } catch (error) {
      if (this.scenario.calls.every(({ answer }) => answer === undefined)) throw error;
      const message = `${call.method} ${call.path}: no answer (${messageOf(error)})`;
      this.expect(SCHEMA, false, message);
      throw new Error(message, { cause: error });
    }
  }

  #expectNoSecret(what: string, path: string, { headers, body }: HttpAnswer): void {
    // A service may grant a token that it has granted before.
    const isGrant = path === this.profile.token.path;
    const secrets = isGrant ? [this.target.client?.secret ?? ""] : this.scenario.secrets;
    const text = `${JSON.stringify(headers)} ${Buffer.from(body).toString()}`;
    const repeated = `${what}: the answer repeats a token or a secret`;
    this.expect(NO_SECRETS, !containsSecret(text, secrets), repeated);
  }

  /** Prepares a state of this merchant. @throws {StateMissing} The provider has no such state. */
  async state(name: string, params: Values = {}): Promise<Values> {
    const { states } = this.target;
    if (states === undefined)
      throw new StateMissing(`no state-change URL prepares the state "${name}"`);
    const all = { accessToken: this.token, ...params };
    return changeState(this.scenario.recording(states), name, all);
  }

  /** Opens an endpoint of this scenario's own. @throws {StateMissing} Nothing can be delivered to the kit. */
  openEndpoint(answer?: AnswerAttempt): Endpoint {
    const endpoint = this.target.receiver?.open(answer);
    if (endpoint === undefined) throw new StateMissing("nothing can be delivered to the kit");
    this.scenario.endpoints.push(endpoint);
    return endpoint;
  }

  /** An address for a subscription, whether or not anything listens there. */
  callbackUrl(): string {
    const { receiver } = this.target;
    // Most services accept only https, and a reserved name never resolves (RFC 2606).
    return receiver !== undefined && (receiver.isSecure || this.isFresh)
      ? this.openEndpoint().url
      : "https://receiver.invalid/webhooks";
  }

  /** The time of the merchant's clock in milliseconds. @throws {StateMissing} The provider does not show it. */
  async time(): Promise<number> {
    const { now } = await this.state("the time");
    const at = typeof now === "number" ? now : Date.parse(String(now));
    if (Number.isNaN(at)) throw new Error(`the state "the time" answered no time: ${String(now)}`);
    return at;
  }

  /** Moves the merchant's clock forward. What became due on the way has been done. */
  async moveTo(at: number): Promise<void> {
    await this.state("the time", { to: isoTime(at) });
    this.scenario.hasMovedTime = true;
  }

  /** Lets time pass at the target: by its clock, or by waiting. What became due has been done. */
  async pass(ms: number, realMs: number = ms): Promise<void> {
    const now = await maybe(this.time());
    if (now === undefined) await setTimeout(realMs);
    else await this.moveTo(now + ms);
  }

  /** Waits until what is due now has been attempted. */
  async settled(): Promise<void> {
    await this.pass(1, QUIET_MS);
  }

  async canPass(ms: number): Promise<boolean> {
    return ms <= MAX_REAL_MS || (Number.isFinite(ms) && (await maybe(this.time())) !== undefined);
  }
}

export const isoTime = (at: number): string => new Date(at).toISOString();

/** The `errorCode` of a refusal or a failed refund. */
export function codeOf({ body }: Pick<CallAnswer, "body">): unknown {
  const details = body["errorDetails"];
  return isRecord(details) ? details["errorCode"] : body["errorCode"];
}

/** `status code` of a refusal, or the refund's state: the summary of an answer in messages. */
export function summary({ status, body, hint = "" }: CallAnswer): string {
  const words = [body["paymentStatus"], codeOf({ body })].filter((one) => typeof one === "string");
  return [String(status), ...words].join(" ") + hint;
}

/** The value of a state that a scenario can do without; `undefined` if the provider does not have it. */
export async function maybe<T>(prepared: Promise<T>): Promise<T | undefined> {
  try {
    return await prepared;
  } catch (error) {
    if (error instanceof StateMissing) return undefined;
    throw error;
  }
}
