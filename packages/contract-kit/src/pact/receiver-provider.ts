import { randomUUID } from "node:crypto";
import type { Profile } from "@countersign/schemas";
import { providerOf } from "@countersign/schemas/provider-of";
import { schemeOf, type Secret, type SignatureScheme } from "@countersign/signatures";
import type { HttpAnswer, HttpCall, Send } from "../http-send.ts";
import type { PactProvider } from "./pact-file.ts";

/** An attempt that differs from a genuine one. */
interface Change {
  /** The secrets that sign it: the receiver's, or one that it does not have. Default: the receiver's. */
  readonly by?: readonly ("own" | "other")[];
  /** Its age in seconds, from the profile's tolerance. Default 0. */
  readonly age?: (tolerance: number) => number;
  /** What happens to it after it was signed. */
  readonly after?: "signature removed" | "body changed" | "id changed";
  /** The body, compared with that of a genuine attempt with the same id that is sent before. */
  readonly repeats?: "same body" | "other body";
  /** True if its refusal must be identical to that of the other such states. */
  readonly isAlike?: true;
}

/** Seconds by which an attempt is beyond or within the tolerance: the clock goes on while it is on its way. */
const MARGIN = 30;

/**
 * The states of `merchant-receiver` that its pacts name. A receiver has no state-change URL: a state
 * says how the attempt is signed and what was sent before. Each returns `eventId`, a new id.
 */
const receiverStates: Readonly<Record<string, Change>> = {
  "a genuine attempt": {},
  "an attempt without a signature": { after: "signature removed", isAlike: true },
  "an attempt signed with another secret": { by: ["other"], isAlike: true },
  "an attempt whose body was changed after signing": { after: "body changed", isAlike: true },
  "an attempt whose id was changed after signing": { after: "id changed", isAlike: true },
  "an attempt that is too old": { age: (tolerance) => tolerance + MARGIN, isAlike: true },
  "an attempt from the future": { age: (tolerance) => -tolerance - MARGIN, isAlike: true },
  "an attempt at the edge of the tolerance": { age: (tolerance) => tolerance - MARGIN },
  "an attempt signed with two secrets": { by: ["other", "own"] },
  "an attempt of an event that was acknowledged": { repeats: "same body" },
  "an attempt with the id of another event": { repeats: "other body" },
};

export interface ReceiverProviderOptions {
  /** Sends an attempt; paths are below the receiver's origin. */
  readonly send: Send;
  /** The receiver's path, such as `/webhooks`, which replaces the pact's. */
  readonly path: string;
  /** The secret that the receiver verifies with, as it has it. */
  readonly secret: Secret;
  readonly profile: Profile;
}

const SPACE = Buffer.from(" ");
const SAMPLE_SECRET: Secret = { raw: "a-secret-that-no-receiver-has-0123" };

/**
 * A merchant's receiver, in any language, as the provider of pacts. The pact holds the signature of no
 * bytes: each attempt is signed over the bytes that are sent, or incorrectly if its state says so. The
 * receiver's clock is assumed to agree with this machine's.
 */
export function receiverProvider(options: ReceiverProviderOptions): PactProvider {
  const { send, path, secret, profile } = options;
  const provider = providerOf(profile);
  const scheme = schemeOf(provider);
  const isStandard = provider.signature.key === "whsec";
  const tolerance = provider.timestamp?.toleranceSeconds ?? 0;
  const secrets = {
    own: secret,
    other: isStandard ? SAMPLE_SECRET : "a-secret-that-no-receiver-has",
  };
  let state: Change = {};
  let id = "";
  let firstRefusal: string | undefined;

  const signed = (
    call: HttpCall,
    body: Buffer,
    { by = ["own"], age = () => 0 }: Change = {},
  ): HttpCall => {
    const timestamp = Math.floor(Date.now() / 1000) - age(tolerance);
    const own = scheme.sign(
      { id, timestamp, body },
      by.map((name) => secrets[name]),
    ).headers;
    return { ...call, path, headers: { ...unsigned(call.headers, scheme), ...own }, body };
  };

  const prepare = async (asked: HttpCall): Promise<HttpCall> => {
    const body = Buffer.from(asked.body ?? "");
    if (state.repeats !== undefined) {
      const { status } = await send(signed(asked, body));
      if (status < 200 || status > 299) throw new Error(`the first attempt was answered ${status}`);
    }
    const other = Buffer.concat([body, SPACE]);
    const call = signed(asked, state.repeats === "other body" ? other : body, state);
    switch (state.after) {
      case "signature removed":
        return { ...call, headers: unsigned(call.headers, scheme) };
      case "body changed":
        return { ...call, body: other };
      case "id changed":
        return {
          ...call,
          headers: mapped(call.headers, (value) => (value === id ? `${id}0` : value)),
        };
      case undefined:
        return call;
      default:
        return state.after satisfies never;
    }
  };

  const judge = (_call: HttpCall, answer: HttpAnswer): readonly string[] => {
    const said = Buffer.from(answer.body).toString();
    const leaked = typeof secret === "string" && said.includes(secret);
    const problems = leaked ? ["the answer holds the secret"] : [];
    if (state.isAlike !== true) return problems;
    const refusal = `${answer.status} ${said}`;
    firstRefusal ??= refusal;
    return refusal === firstRefusal
      ? problems
      : [...problems, `it differs from another refusal: ${refusal} and ${firstRefusal}`];
  };

  return {
    name: "merchant-receiver",
    send,
    enter: (name) => {
      const entered = Object.hasOwn(receiverStates, name) ? receiverStates[name] : undefined;
      if (entered === undefined) {
        const known = Object.keys(receiverStates).join(", ");
        return Promise.reject(new Error(`unknown state "${name}"; expected one of: ${known}`));
      }
      state = entered;
      id = `evt_${randomUUID()}`;
      return Promise.resolve({ eventId: id });
    },
    prepare,
    judge,
  };
}

type Headers = HttpCall["headers"];

/** Headers without those of the scheme. */
function unsigned(headers: Headers, scheme: SignatureScheme): Headers {
  const sample = { id: "evt_1", timestamp: 1, body: new Uint8Array() };
  const own = Object.keys(scheme.sign(sample, [SAMPLE_SECRET]).headers).map((name) =>
    name.toLowerCase(),
  );
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !own.includes(name.toLowerCase())),
  );
}

function mapped(headers: Headers, change: (value: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, change(value)]));
}
