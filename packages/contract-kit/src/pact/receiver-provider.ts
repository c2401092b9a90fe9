import { randomUUID } from "node:crypto";
import type { Profile } from "@countersign/schemas";
import { schemeOf, type Secret, type SignatureScheme } from "@countersign/signatures";
import type { HttpAnswer, HttpCall, Send } from "../http-send.ts";
import type { PactProvider } from "./pact-file.ts";

/**
 * The states of `merchant-receiver` that its pacts name. A receiver has no state-change URL: a state
 * says how the attempt is signed and what was sent before. Each returns `eventId`, a new id.
 */
const receiverStates = [
  "a genuine attempt",
  "an attempt without a signature",
  "an attempt signed with another secret",
  "an attempt whose body was changed after signing",
  "an attempt whose id was changed after signing",
  "an attempt that is too old",
  "an attempt from the future",
  "an attempt at the edge of the tolerance",
  "an attempt signed with two secrets",
  "an attempt of an event that was acknowledged",
  "an attempt with the id of another event",
] as const;

export type ReceiverState = (typeof receiverStates)[number];

export interface ReceiverProviderOptions {
  /** Sends an attempt; paths are below the receiver's origin. */
  readonly send: Send;
  /** The receiver's path, such as `/webhooks`, which replaces the pact's. */
  readonly path: string;
  /** The secret that the receiver verifies with, as it has it. */
  readonly secret: Secret;
  readonly profile: Profile;
  /** Milliseconds; the receiver's clock is assumed to agree. Default: this machine's. */
  readonly now?: () => number;
  /** An id that no event had before. Default: random. */
  readonly newId?: () => string;
}

/**
 * A merchant's receiver, in any language, as the provider of pacts. The pact holds the signature of no
 * bytes: each attempt is signed over the bytes that are sent, or incorrectly if its state says so.
 */
export function receiverProvider(options: ReceiverProviderOptions): PactProvider {
  const { send, path, secret, profile, now = Date.now } = options;
  const { newId = () => `evt_${randomUUID()}` } = options;
  const scheme = schemeOf(profile.signature);
  const tolerance = profile.signature.toleranceSeconds;
  let state: ReceiverState = "a genuine attempt";
  let id = "";
  let firstRefusal: string | undefined;

  const signed = (call: HttpCall, change: Change = {}): HttpCall => {
    const body = Buffer.from(call.body ?? "");
    const timestamp = Math.floor(now() / 1000) + (change.seconds ?? 0);
    const message = { id, timestamp, body };
    const headers = { ...plain(call, scheme), ...scheme.sign(message, change.secrets ?? [secret]) };
    return { ...call, path, headers, body };
  };
  const send2xx = async (call: HttpCall): Promise<void> => {
    const { status } = await send(call);
    if (status < 200 || status > 299) throw new Error(`the first attempt was answered ${status}`);
  };

  const prepare = async (asked: HttpCall): Promise<HttpCall> => {
    const genuine = signed(asked);
    switch (state) {
      case "a genuine attempt":
        return genuine;
      case "an attempt without a signature":
        return { ...genuine, headers: plain(asked, scheme) };
      case "an attempt signed with another secret":
        return signed(asked, { secrets: [otherSecret(profile)] });
      case "an attempt whose body was changed after signing":
        return { ...genuine, body: Buffer.concat([Buffer.from(genuine.body ?? ""), SPACE]) };
      case "an attempt whose id was changed after signing":
        return { ...genuine, headers: withOtherId(genuine.headers, id) };
      case "an attempt that is too old":
        return signed(asked, { seconds: -tolerance - MARGIN });
      case "an attempt from the future":
        return signed(asked, { seconds: tolerance + MARGIN });
      case "an attempt at the edge of the tolerance":
        // The clock goes on while the attempt is on its way.
        return signed(asked, { seconds: MARGIN - tolerance });
      case "an attempt signed with two secrets":
        return signed(asked, { secrets: [otherSecret(profile), secret] });
      case "an attempt of an event that was acknowledged":
        await send2xx(genuine);
        return signed(asked);
      case "an attempt with the id of another event":
        await send2xx(genuine);
        return signed({ ...asked, body: Buffer.concat([Buffer.from(asked.body ?? ""), SPACE]) });
      default:
        return state satisfies never;
    }
  };

  const judge = (_call: HttpCall, answer: HttpAnswer): readonly string[] => {
    const said = Buffer.from(answer.body).toString();
    const leaked = typeof secret === "string" && said.includes(secret);
    const problems = leaked ? ["the answer holds the secret"] : [];
    if (!alike.has(state)) return problems;
    const refusal = `${answer.status} ${said}`;
    firstRefusal ??= refusal;
    return refusal === firstRefusal
      ? problems
      : [...problems, `it differs from another refusal: ${refusal} and ${firstRefusal}`];
  };

  return {
    name: "merchant-receiver",
    send,
    states: receiverStates,
    enter: (name) => {
      const entered = receiverStates.find((one) => one === name);
      if (entered === undefined) return Promise.reject(new Error("unknown state"));
      state = entered;
      id = newId();
      return Promise.resolve({ eventId: id });
    },
    prepare,
    judge,
  };
}

interface Change {
  readonly secrets?: readonly Secret[];
  /** Added to the attempt's time. */
  readonly seconds?: number;
}

/** Seconds by which an attempt is beyond or within the tolerance. */
const MARGIN = 30;
const SPACE = Buffer.from(" ");

/** States whose refusals must be identical. */
const alike: ReadonlySet<ReceiverState> = new Set<ReceiverState>([
  "an attempt without a signature",
  "an attempt signed with another secret",
  "an attempt whose body was changed after signing",
  "an attempt whose id was changed after signing",
  "an attempt that is too old",
  "an attempt from the future",
]);

function plain({ headers }: HttpCall, scheme: SignatureScheme): Readonly<Record<string, string>> {
  const sample = { id: "evt_1", timestamp: 1, body: new Uint8Array() };
  const own = Object.keys(scheme.sign(sample, [SAMPLE_SECRET])).map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
}

const SAMPLE_SECRET: Secret = { raw: "a-secret-that-no-receiver-has-0123" };

function otherSecret({ signature }: Profile): Secret {
  return signature.scheme === "standard-webhooks" ? SAMPLE_SECRET : "a-secret-that-no-receiver-has";
}

function withOtherId(
  headers: Readonly<Record<string, string>>,
  id: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === id ? `${id}0` : value]),
  );
}
