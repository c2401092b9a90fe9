import { randomUUID } from "node:crypto";
import type { HttpAnswer, HttpCall, Send } from "../http.ts";
import type { Recorder } from "./recorder.ts";
import type { AnswerAttempt, Place, ProviderControls, ProviderTarget } from "../target.ts";
import { answerFaults } from "./judge-answer.ts";
import { must, Violation } from "./violation.ts";

/** A merchant's conversation with a provider, in one scenario. */
export interface Session {
  readonly target: ProviderTarget;
  readonly controls: ProviderControls;
  readonly token: string;
  readonly options: SessionOptions;
  /** A requestKey that no scenario had before. */
  readonly key: (name?: string | number) => string;
  /**
   * @throws {Violation} `P-ANSWER-SCHEMA`: the answer is not what its schema says, or none came from a
   *   target that has answered before.
   */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Reading>;
  /** How many calls were made. */
  readonly calls: () => number;
  /**
   * A place for deliveries of this scenario's own.
   *
   * @throws {Error} Nothing can be delivered to the kit: a scenario that needs `receiver` says so.
   */
  readonly receive: (answer?: AnswerAttempt) => Place;
  /** An address that a subscription may have, whether or not somebody takes what is delivered there. */
  readonly callbackUrl: () => string;
}

interface CallOptions {
  /** Sent as it stands. */
  readonly text?: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Over the common ones of S 1; `undefined` takes one away. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the answer's body is left unjudged. Default false. */
  readonly isUnjudged?: boolean;
}

export interface Reading {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body's members, as JSON; empty where it is no object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SessionOptions {
  readonly recorder: Recorder;
  /** Where the places of all conversations of the scenario are kept. */
  readonly places: Place[];
  /** What makes keys unique. */
  readonly run: string;
}

/** Milliseconds of a whole scenario: a target that drips its answers holds no run for hours. */
const SCENARIO_MS = 100_000;

/**
 * Opens a conversation with the target's own merchant.
 *
 * @throws {Error} by `call`: the scenario takes too long, which says nothing of a requirement.
 */
export async function openSession(
  target: ProviderTarget,
  options: SessionOptions,
): Promise<Session> {
  const { recorder, places, run } = options;
  const token = await target.token();
  const send = recorder.watch(target.send, target.url);
  const controls = target.controls?.(recorder.watch) ?? {};
  const startedAt = performance.now();
  let [keys, calls] = [0, 0];
  const receive = (answer?: AnswerAttempt): Place => {
    const place = target.receiver?.open(answer);
    if (place === undefined) throw new Error("nothing can be delivered to the kit");
    places.push(place);
    return place;
  };
  return {
    target,
    token,
    options,
    controls,
    receive,
    callbackUrl: () => {
      if (controls.events !== undefined) return controls.events.callbackUrl;
      // Most services take https alone, and a reserved name never resolves (RFC 2606).
      const place = target.receiver?.isSecure === true ? receive().url : undefined;
      return place ?? "https://receiver.invalid/webhooks";
    },
    key: (name = `n${String(keys++)}`) => `${run}-${name}`,
    calls: () => calls,
    call: async (method, path, sent = {}) => {
      calls += 1;
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
      const body = parsed(said);
      if (!isUnjudged) {
        const contentType = answer.headers["content-type"] ?? "";
        const judged = { method, path, status: answer.status, contentType, body };
        const faults = answerFaults(judged, target.profile);
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

/** Another merchant in the same scenario; `undefined` where the target can make none. */
export async function openBeside(session: Session): Promise<Session | undefined> {
  const other = (await session.controls.merchant?.()) ?? session.target.other;
  return other === undefined ? undefined : openSession(other, session.options);
}

/** What is unique to a scenario: short, since a shell shows it. */
export function newRun(): string {
  return `check-${randomUUID().slice(0, 13)}`;
}

/** A target that answered a moment ago and does not answer this call has failed; else nobody is there. */
async function answered(send: Send, call: HttpCall, recorder: Recorder): Promise<HttpAnswer> {
  try {
    return await send(call);
  } catch (error) {
    if (recorder.exchanges.every((one) => one.answer === undefined)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Violation("P-ANSWER-SCHEMA", `${call.method} ${call.path}: no answer (${reason})`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
