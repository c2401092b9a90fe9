import { exactCents } from "../../../packages/contract-kit/test/receiver/make-effects.ts";
import { type Answer, type Arrived, ok, refusal, valuesOf } from "./http.ts";
import { fitsSchema, type Happening } from "./read-event.ts";
import { honestVerifying, type Reason, verify, type Verifying } from "./verify.ts";

/** An inbox's record of an event. */
export interface Known {
  readonly at: "running" | "handled";
  readonly body: Buffer;
}

/** A receiver's behaviour, step by step: a fault replaces one of them. */
export type Conduct = Readonly<typeof honest>;

const RETRY = { "retry-after": "1" };

export const secrets: readonly [string, string] = [
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
];

/** Breaks no requirement. */
export const honest = {
  verifying: honestVerifying,
  areMembersOnce: true,
  wrongMethod: refusal(405, "method", { allow: "POST" }),
  /** Refuses by the headers only, before the body is read. */
  judgeHeaders(arrived: Pick<Arrived, "rawHeaders">): Answer | undefined {
    const encodings = valuesOf(arrived, "content-encoding");
    if (encodings.some((one) => one.toLowerCase() !== "identity")) return refusal(415, "encoding");
    const types = valuesOf(arrived, "content-type");
    const isJson = types.length === 1 && /^application\/json\s*(;|$)/i.test(types[0] ?? "");
    return isJson ? undefined : refusal(415, "media_type");
  },
  bodyBytes: 2 ** 20,
  bodyMs: 5000,
  // Nothing is never answered.
  tooLarge: refusal(413, "too_large") as Answer | undefined,
  /** The bytes to verify and read. */
  bodyOf: ({ body }: Arrived): Buffer => body,
  judgeSignature: (
    arrived: Arrived,
    steps: Verifying,
  ): Reason | undefined | Promise<Reason | undefined> => verify(arrived, { secrets, steps }),
  unbelieved: (_reason: Reason): Answer => refusal(401, "signature"),
  unreadable: (_body: Buffer): Answer => refusal(400, "body"),
  judgeEvent(event: Happening, arrived: Arrived): Answer | undefined {
    if (event.id !== honestVerifying.header(arrived, "webhook-id")) return refusal(400, "id");
    return fitsSchema(event) ? undefined : refusal(422, "schema");
  },
  keyOf: ({ id }: Happening, _arrived: Arrived): string => id,
  /** Answers an attempt of an event that the inbox knows; undefined if its handler must run. */
  answerKnown({ at, body }: Known, sent: Buffer): Answer | undefined {
    if (!body.equals(sent)) return refusal(409, "id_reused");
    return at === "handled" ? ok : refusal(409, "in_progress", RETRY);
  },
  /** True if the inbox records an event before its handler runs. */
  claimsFirst: true,
  /** Number of events that the inbox remembers. */
  remembers: Infinity,
  hangs: (_event: Happening): boolean => false,
  /** Number of handlers that run for an event. */
  handlers: (_event: Happening): number => 1,
  /** The entry of an event in the list of effects. */
  listed: (event: Happening): object => event,
  /** Duration of the handler, during which the event is in progress. */
  handlerMs: 15,
  handlerLimitMs: 1500,
  /** Cents of dollars that the handler books. */
  centsOf: exactCents,
  /** True if the answer waits for the handler. */
  awaitsHandler: true,
  failed: (_error: unknown): Answer => refusal(503, "failed", RETRY),
  /** True if a failed event is forgotten, so that the next attempt runs its handler. */
  releases: true,
  /** Handlers that run at once. */
  concurrent: 32,
  overloaded: refusal(503, "busy", RETRY),
  /** True if a connection is answered again after a refusal. */
  servesAfterRefusal: true,
  /** True if `Expect: 100-continue` is answered before the body arrives. */
  continues: true,
};

/** A faulty behaviour. Created for each receiver, since some remember attempts. */
export type Change = () => Partial<Conduct>;

/** Replaces steps of the conduct. */
export const always =
  (change: Partial<Conduct>): Change =>
  () =>
    change;

/** Replaces steps of verifying. */
export const verifying = (change: Partial<Verifying>): Change =>
  always({ verifying: { ...honestVerifying, ...change } });
