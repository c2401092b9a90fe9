import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type ResolvedProfile, resolveProfile } from "@countersign/schemas/provider-of";
import { isRecord, messageOf, parseJson } from "../values.ts";
import type { RecordedCall } from "../exchange-text.ts";
import type { HttpCall, Send } from "../http-send.ts";
import type { ProviderTarget } from "../target.ts";
import type { AnswerAttempt, Place } from "./hosted-receiver.ts";
import { answerFaults, must, NotShown, Violation } from "./judge.ts";
import { changeState, type Values } from "./provider-states.ts";

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

/** Timeout of a scenario in milliseconds, so that a slow target cannot hold a run for hours. */
const SCENARIO_MS = 100_000;
/** Milliseconds of real time that a check waits if the target's clock cannot be moved. */
const MAX_REAL_MS = 10_000;
/** Milliseconds in which an unwanted delivery would have arrived, if no clock can be moved. */
const QUIET_MS = 500;

/** One scenario: what its sessions have in common. */
export class Scene {
  /** In the order in which they were sent. */
  readonly calls: RecordedCall[] = [];
  readonly places: Place[] = [];
  /** Requirements that this target cannot show, with the reason. */
  readonly unseen: Map<string, string> = new Map();
  /** The part that makes keys unique: short, since a shell shows it. */
  readonly run: string = `check-${randomUUID().slice(0, 13)}`;
  /** First time of a new merchant's clock in milliseconds. */
  readonly now: number;
  readonly #startedAt = performance.now();

  constructor(now: number) {
    this.now = now;
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
      const place = this.calls.push({ url, call, answer: undefined }) - 1;
      const answer = await to.send(call);
      this.calls[place] = { url, call, answer };
      return answer;
    };
    return { ...to, send };
  }
}

/** Opens a conversation with a new merchant, or with the target's own if no state makes one. */
export async function openSession(
  given: ProviderTarget,
  scene: Scene,
  now: number = scene.now,
): Promise<Session> {
  const { client: _, ...target } = given;
  const params = { now: new Date(now).toISOString() };
  const made =
    target.states && (await changeState(scene.recording(target.states), "a merchant", params));
  const { accessToken: token, clientId: id, clientSecret: secret } = made ?? {};
  // A provider without states of merchants has one merchant.
  if (typeof token !== "string") return new Session(given, scene, { token: await given.token() });
  const hasClient = typeof id === "string" && typeof secret === "string";
  const own = { ...target, token: () => Promise.resolve(token) };
  const merchant = hasClient ? { ...own, client: { id, secret } } : own;
  return new Session(merchant, scene, { token, isFresh: true });
}

/** A merchant's conversation with a provider, in one scenario. */
export class Session {
  readonly target: ProviderTarget;
  readonly profile: ResolvedProfile;
  readonly scene: Scene;
  readonly token: string;
  /** True if no other scenario uses the merchant. */
  readonly isFresh: boolean;
  #keys = 0;

  constructor(
    target: ProviderTarget,
    scene: Scene,
    { token, isFresh = false }: { readonly token: string; readonly isFresh?: boolean },
  ) {
    this.target = target;
    this.profile = resolveProfile(target.profile);
    this.scene = scene;
    this.token = token;
    this.isFresh = isFresh;
  }

  /** A requestKey that no scenario had before. */
  key(name: string | number = `n${String(this.#keys++)}`): string {
    return `${this.scene.run}-${name}`;
  }

  /** @throws {NotShown} The merchant has no client that may ask for tokens. */
  get client(): NonNullable<ProviderTarget["client"]> {
    if (this.target.client !== undefined) return this.target.client;
    throw new NotShown("the target's merchant has no client that may ask for tokens");
  }

  /** Reports that this target cannot show a requirement. */
  cannotShow(requirement: string, reason: string): void {
    this.scene.unseen.set(requirement, reason);
  }

  /** Another merchant in the same scenario, or `undefined`. */
  async other(): Promise<Session | undefined> {
    const other = this.isFresh ? this.target : this.target.other;
    return other && openSession(other, this.scene);
  }

  /**
   * @throws {Violation} `P-ANSWER-SCHEMA`: the answer is not what its schema says, or none came from a
   *   target that has answered before.
   * @throws {Error} The scenario takes too long.
   */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Reading> {
    const { json, text = json === undefined ? undefined : JSON.stringify(json) } = options;
    const all = {
      authorization: `Bearer ${this.token}`,
      accept: "application/json",
      "content-type": "application/json",
      ...options.headers,
    };
    const sent = Object.entries(all).filter((one): one is [string, string] => one[1] !== undefined);
    const headers = Object.fromEntries(sent);
    this.scene.requireTime();
    const answer = await this.#send({
      method,
      path,
      headers,
      ...(text !== undefined && { body: text }),
    });
    const body = parseJson(answer.body);
    if (options.isUnjudged !== true) {
      const contentType = answer.headers["content-type"] ?? "";
      const judged = { method, path, status: answer.status, contentType, body };
      const faults = answerFaults(judged, this.target);
      must("P-ANSWER-SCHEMA", faults.length === 0, () => {
        return `${method} ${path} → ${answer.status}: ${faults.join("; ")}`;
      });
    }
    const members = isRecord(body) ? body : {};
    return { ...answer, text: Buffer.from(answer.body).toString(), body: members };
  }

  /** A target that answered before and does not answer this call has failed; otherwise no target is there. */
  async #send(call: HttpCall): ReturnType<Send> {
    try {
      return await this.scene.recording(this.target).send(call);
    } catch (error) {
      if (this.scene.calls.every(({ answer }) => answer === undefined)) throw error;
      const message = `${call.method} ${call.path}: no answer (${messageOf(error)})`;
      throw new Violation("P-ANSWER-SCHEMA", message);
    }
  }

  /** Prepares a state of this merchant. @throws {NotShown} The provider has no such state. */
  async state(name: string, params: Values = {}): Promise<Values> {
    const { states } = this.target;
    if (states === undefined)
      throw new NotShown(`no state-change URL prepares the state "${name}"`);
    return changeState(this.scene.recording(states), name, { accessToken: this.token, ...params });
  }

  /** A place for deliveries of this scenario's own. @throws {NotShown} Nothing can be delivered to the kit. */
  receive(answer?: AnswerAttempt): Place {
    const place = this.target.receiver?.open(answer);
    if (place === undefined) throw new NotShown("nothing can be delivered to the kit");
    this.scene.places.push(place);
    return place;
  }

  /** An address for a subscription, whether or not anything listens there. */
  callbackUrl(): string {
    const { receiver } = this.target;
    // Most services accept only https, and a reserved name never resolves (RFC 2606).
    return receiver !== undefined && (receiver.isSecure || this.isFresh)
      ? this.receive().url
      : "https://receiver.invalid/webhooks";
  }

  /** The time of the merchant's clock in milliseconds. @throws {NotShown} The provider does not show it. */
  async time(): Promise<number> {
    const { now } = await this.state("the time");
    const at = typeof now === "number" ? now : Date.parse(String(now));
    if (Number.isNaN(at)) throw new Error(`the state "the time" answered no time: ${String(now)}`);
    return at;
  }

  /** Moves the merchant's clock forward. What became due on the way has been done. */
  async moveTo(at: number): Promise<void> {
    await this.state("the time", { to: new Date(at).toISOString() });
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

/** The value of a state that a scenario can do without; `undefined` if the provider does not have it. */
export async function maybe<T>(prepared: Promise<T>): Promise<T | undefined> {
  try {
    return await prepared;
  } catch (error) {
    if (error instanceof NotShown) return undefined;
    throw error;
  }
}
