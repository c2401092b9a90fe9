import { exactCents } from "../../../packages/contract-kit/test/receiver/make-effects.ts";
import { fitsSchema } from "./fits-schema.ts";
import { type Answer, type Arrived, ok, refusal, valuesOf } from "./http.ts";
import { type Happening, honestReading, type Reading } from "./read-event.ts";
import { honestVerifying, type Reason, verify, type Verifying } from "./verify.ts";

/** What the inbox knows of an event. */
export interface Known {
  readonly at: "running" | "handled";
  readonly body: Buffer;
}

/** How a receiver behaves, step by step: a fault replaces one of them. */
export interface Conduct {
  readonly verifying: Verifying;
  readonly reading: Reading;
  readonly methods: readonly string[];
  readonly wrongMethod: Answer;
  /** The refusal of what the headers say alone, before the body is read. */
  readonly judgeHeaders: (arrived: Arrived) => Answer | undefined;
  readonly bodyBytes: number;
  readonly tooLarge: Answer;
  readonly bodyMs: number;
  /** The bytes that are verified and read, of those that came. */
  readonly bodyOf: (arrived: Arrived) => Buffer;
  /** The reason why an attempt is not believed. */
  readonly judgeSignature: (
    arrived: Arrived,
    conduct: Conduct,
  ) => Reason | undefined | Promise<Reason | undefined>;
  readonly unbelieved: (reason: Reason, arrived: Arrived) => Answer;
  readonly unreadable: (body: Buffer) => Answer;
  readonly judgeEvent: (event: Happening, arrived: Arrived) => Answer | undefined;
  readonly keyOf: (event: Happening, arrived: Arrived) => string;
  /** The answer to an attempt of an event that the inbox knows; undefined where its handler is to run. */
  readonly answerKnown: (known: Known, body: Buffer) => Answer | undefined;
  /** Whether the inbox is told of an event before its handler runs. */
  readonly claimsFirst: boolean;
  /** Keys that the inbox keeps. */
  readonly remembers: number;
  /** Whether an event is never answered. */
  readonly hangs: (event: Happening) => boolean;
  /** How many handlers run for an event. */
  readonly handlers: (event: Happening) => number;
  /** Milliseconds that the handler takes: what comes meanwhile meets an event in progress. */
  readonly handlerMs: number;
  /** Milliseconds that the handler may take. */
  readonly handlerLimitMs: number;
  /** The answer where the handler takes longer. */
  readonly late: Answer;
  /** What the handler books of an amount in dollars. */
  readonly centsOf: (dollars: number) => number;
  /** Whether the answer waits for the handler. */
  readonly awaitsHandler: boolean;
  readonly done: (event: Happening) => Answer;
  readonly failed: (error: unknown) => Answer;
  /** Whether a failed event is forgotten, so that the next attempt runs its handler. */
  readonly releases: boolean;
  /** Handlers that run at once. */
  readonly concurrent: number;
  readonly overloaded: Answer;
  /** Whether a connection is answered again after a refusal. */
  readonly servesAfterRefusal: boolean;
  /** Whether `Expect: 100-continue` is answered before the body comes. */
  readonly continues: boolean;
}

const RETRY = { "retry-after": "1" };

export const secrets: readonly [string, string] = [
  "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
];

/** What breaks no requirement. */
export const honest: Conduct = {
  verifying: honestVerifying,
  reading: honestReading,
  methods: ["POST"],
  wrongMethod: refusal(405, "method", { allow: "POST" }),
  judgeHeaders(arrived) {
    const encodings = valuesOf(arrived, "content-encoding");
    if (encodings.some((one) => one.toLowerCase() !== "identity")) return refusal(415, "encoding");
    const types = valuesOf(arrived, "content-type");
    const isJson = types.length === 1 && /^application\/json\s*(;|$)/i.test(types[0] ?? "");
    return isJson ? undefined : refusal(415, "media_type");
  },
  bodyBytes: 2 ** 20,
  tooLarge: refusal(413, "too_large"),
  bodyMs: 5000,
  bodyOf: ({ body }) => body,
  judgeSignature: (arrived, { verifying: steps }) => verify(arrived, { secrets, steps }),
  unbelieved: () => refusal(401, "signature"),
  unreadable: () => refusal(400, "body"),
  judgeEvent(event, arrived) {
    if (event.id !== honestVerifying.header(arrived, "webhook-id")) return refusal(400, "id");
    return fitsSchema(event) ? undefined : refusal(422, "schema");
  },
  keyOf: ({ id }) => id,
  answerKnown({ at, body }, sent) {
    if (!body.equals(sent)) return refusal(409, "id_reused");
    return at === "handled" ? ok : refusal(409, "in_progress", RETRY);
  },
  claimsFirst: true,
  remembers: Infinity,
  hangs: () => false,
  handlers: () => 1,
  handlerMs: 15,
  handlerLimitMs: 1500,
  late: refusal(503, "late", RETRY),
  centsOf: exactCents,
  awaitsHandler: true,
  done: () => ok,
  failed: () => refusal(503, "failed", RETRY),
  releases: true,
  concurrent: 32,
  overloaded: refusal(503, "busy", RETRY),
  servesAfterRefusal: true,
  continues: true,
};
