import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import { isRecord, messageOf, parseJson } from "../values.ts";
import type { RecordedCall } from "../exchange-text.ts";
import type { HttpAnswer, HttpCall, Send } from "../http-send.ts";
import type { ProviderTarget } from "../target.ts";
import type { Verdicts } from "../verdicts.ts";
import type { AnswerAttempt, Endpoint } from "../harness/endpoints.ts";
import { answerFaults } from "./answer-schema.ts";
import { changeState, StateMissing, type Values } from "./provider-states.ts";

interface CallOptions {
  /** Sent unchanged. */
  readonly text?: string;
  /** Sent as JSON. */
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
const FORM = "P-ANSWER-FORM";
const NO_SECRETS = "P-ANSWER-NO-SECRETS";

const ENDED_HINT =
  " (the clock was moved before: the tokens of a state must outlive it, and end in real time only)";

/** Timeout of a scenario in milliseconds, so that a slow target cannot hold a run for hours. */
const SCENARIO_MS = 100_000;
/** Milliseconds of real time that a check waits if the target's clock cannot be moved. */
const MAX_REAL_MS = 10_000;
/** Milliseconds in which an unwanted delivery would have arrived, if no clock can be moved. */
const QUIET_MS = 500;

/** The target answered before and does not answer now: the scenario ends. */
export class TargetLost extends Error {}

/** One scenario: what its sessions have in common. */
export class Scenario {
  readonly verdicts: Verdicts;
  /** In the order in which they were sent. */
  readonly calls: RecordedCall[] = [];
  readonly endpoints: Endpoint[] = [];
  /** Secrets that the target knows: no answer and no attempt may contain one. */
  readonly secrets: Set<string> = new Set();
  /** Number of calls before the first failure of each requirement. */
  readonly failedAfter: Map<string, number> = new Map();
  /** The part that makes keys unique: short, since a shell shows it. */
  readonly run: string = `check-${randomUUID().slice(0, 13)}`;
  /** First time of a new merchant's clock in milliseconds. */
  readonly now: number;
  /** True once the merchant's clock was moved. */
  hasMovedTime = false;
  readonly #startedAt = performance.now();

  constructor(verdicts: Verdicts, now: number) {
    this.verdicts = verdicts;
    this.now = now;
  }

  expect(requirement: string, holds: boolean, message: () => string): boolean {
    if (!holds && !this.failedAfter.has(requirement))
      this.failedAfter.set(requirement, this.calls.length);
    return this.verdicts.expect(requirement, holds, message);
  }

  /** @throws {Error} The scenario takes too long, which says nothing about a requirement. */
  requireTime(): void {
    if (performance.now() - this.#startedAt > SCENARIO_MS)
      throw new Error(`the target takes too long: ${this.calls.length} calls in 100 s`);
  }

  /** The same target or state-change URL, whose calls are recorded. */
  recording<T extends { readonly url: string; readonly send: Send }>(to: T): T {
    const send: Send = async (call) => {
      const { url } = to;
      const index = this.calls.push({ url, call, answer: undefined }) - 1;
      const answer = await to.send(call);
      this.calls[index] = { url, call, answer };
      return answer;
    };
    return { ...to, send };
  }
}

/** Opens a conversation with a new merchant, or with the target's own if no state makes one. */
export async function openSession(
  given: ProviderTarget,
  scenario: Scenario,
  now: number = scenario.now,
): Promise<Session> {
  const { client: _, ...target } = given;
  const params = { now: new Date(now).toISOString() };
  const made =
    target.states && (await changeState(scenario.recording(target.states), "a merchant", params));
  const { accessToken: token, clientId: id, clientSecret: secret } = made ?? {};
  // A provider without states of merchants has one merchant.
  if (typeof token !== "string")
    return new Session(given, scenario, { token: await given.token() });
  const hasClient = typeof id === "string" && typeof secret === "string";
  const own = { ...target, token: () => Promise.resolve(token) };
  const merchant = hasClient ? { ...own, client: { id, secret } } : own;
  return new Session(merchant, scenario, { token, isFresh: true });
}

/** A merchant's conversation with a provider, in one scenario. */
export class Session {
  readonly target: ProviderTarget;
  readonly profile: ResolvedProfile;
  readonly scenario: Scenario;
  readonly token: string;
  /** True if no other scenario uses the merchant. */
  readonly isFresh: boolean;
  #keys = 0;

  constructor(
    target: ProviderTarget,
    scenario: Scenario,
    { token, isFresh = false }: { readonly token: string; readonly isFresh?: boolean },
  ) {
    this.target = target;
    this.profile = resolveProfile(target.profile);
    this.scenario = scenario;
    this.token = token;
    this.isFresh = isFresh;
    scenario.secrets.add(token);
    if (target.client !== undefined) scenario.secrets.add(target.client.secret);
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

  /** Records an observation. @returns `holds`. */
  expect(requirement: string, holds: boolean, message: () => string): boolean {
    return this.scenario.expect(requirement, holds, message);
  }

  /** Expects two values to be the same. */
  expectEqual(requirement: string, what: string, got: unknown, wanted: unknown): boolean {
    return this.expect(requirement, isDeepStrictEqual(got, wanted), () => {
      // Two spellings of a letter look alike.
      const [expected, found] = [wanted, got].map((one) =>
        (JSON.stringify(one) ?? "nothing").replaceAll(/\p{M}/gu, (mark) => {
          return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
        }),
      );
      return `${what}: expected ${expected}, got ${found}`;
    });
  }

  expectStatus(requirement: string, what: string, answer: CallAnswer, wanted: number): boolean {
    return this.expect(requirement, answer.status === wanted, () => {
      return `${what}: expected ${wanted}, got ${shown(answer)}`;
    });
  }

  /** Records why this target cannot show a requirement. */
  notApplicable(requirement: string, reason: string): void {
    this.scenario.verdicts.notApplicable(requirement, reason);
  }

  /** Another merchant in the same scenario, or `undefined`. */
  async other(): Promise<Session | undefined> {
    const other = this.isFresh ? this.target : this.target.other;
    return other && openSession(other, this.scenario);
  }

  /**
   * Sends a call, and judges its answer: its schema, and that it contains no secret.
   *
   * @throws {TargetLost} No answer came from a target that has answered before.
   * @throws {Error} The scenario takes too long.
   */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const { json, text = json === undefined ? undefined : JSON.stringify(json) } = options;
    const all = {
      authorization: `Bearer ${this.token}`,
      accept: "application/json",
      "content-type": "application/json",
      ...options.headers,
    };
    const sent = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
    const headers = Object.fromEntries(sent);
    this.scenario.requireTime();
    const { target } = this;
    const { sendUnpaced = target.send } = target;
    const call = { method, path, headers, ...(text !== undefined && { body: text }) };
    const answer = await this.#send(call, options.isUnpaced === true ? sendUnpaced : target.send);
    const body = parseJson(answer.body);
    // A check may send the token in the query.
    const what = `${method} ${path.replaceAll(this.token, "…")} → ${answer.status}`;
    if (options.isUnchecked !== true) {
      const contentType = answer.headers["content-type"] ?? "";
      const validated = { method, path, status: answer.status, contentType, body };
      const faults = answerFaults(validated, this.target);
      for (const [requirement, lines] of [
        [SCHEMA, faults.schema],
        [FORM, faults.form],
      ] as const)
        this.expect(requirement, lines.length === 0, () => {
          return `${what}: ${lines.join("; ")}`;
        });
    }
    this.#expectNoSecret(what, answer);
    const isOwnToken = headers["authorization"] === `Bearer ${this.token}`;
    const isEnded = answer.status === 401 && isOwnToken && this.scenario.hasMovedTime;
    return {
      ...answer,
      text: Buffer.from(answer.body).toString(),
      body: isRecord(body) ? body : {},
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
      this.expect(SCHEMA, false, () => message);
      throw new TargetLost(message);
    }
  }

  #expectNoSecret(what: string, { headers, body }: HttpAnswer): void {
    if (!this.scenario.verdicts.requirements.includes(NO_SECRETS)) return;
    const text = `${JSON.stringify(headers)} ${Buffer.from(body).toString()}`;
    const isRepeated = [...this.scenario.secrets].some((secret) => text.includes(secret));
    this.expect(NO_SECRETS, !isRepeated, () => `${what}: the answer repeats a token or a secret`);
  }

  /** Prepares a state of this merchant. @throws {StateMissing} The provider has no such state. */
  async state(name: string, params: Values = {}): Promise<Values> {
    const { states } = this.target;
    if (states === undefined)
      throw new StateMissing(`no state-change URL prepares the state "${name}"`);
    return changeState(this.scenario.recording(states), name, {
      accessToken: this.token,
      ...params,
    });
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
    await this.state("the time", { to: new Date(at).toISOString() });
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

  /** True if a check can let that much time pass. */
  async canPass(ms: number): Promise<boolean> {
    return ms <= MAX_REAL_MS || (Number.isFinite(ms) && (await maybe(this.time())) !== undefined);
  }
}

/** `status code` of a refusal, or the refund's state: the summary of an answer in messages. */
export function shown({ status, body, hint = "" }: CallAnswer): string {
  const details = body["errorDetails"];
  const code = isRecord(details) ? details["errorCode"] : body["errorCode"];
  const words = [body["paymentStatus"], code].filter((one) => typeof one === "string");
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
