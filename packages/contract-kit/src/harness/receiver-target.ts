import type { ProviderDocument } from "@countersign/schemas/providers";
import type { EventsDocument } from "../documents/read-document.ts";
import { spread } from "../values.ts";
import type { Attempt } from "./attempt-maker.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Effects, type EffectsSource, httpEffects, type Seen } from "./effects.ts";
import { isUsualType, ownFormOf } from "./event-forms.ts";
import type { Sent, TargetLostError } from "./kit-sender.ts";
import {
  type CatalogueRow,
  ProviderEvents,
  type Samples,
  type TestEvent,
} from "./provider-events.ts";
import { describedBy, type ProviderEventsDocument } from "./row-schemas.ts";
import { Signing } from "./signing.ts";
import { Sockets } from "./sockets.ts";

export interface ReceiverTargetOptions {
  /** The receiver's URL; http or https. */
  readonly url: string;
  /** The receiver's secrets as its configuration has them, 1 to 4; the first one signs. Private keys where public ones verify. */
  readonly secrets: readonly string[];
  /** The provider whose attempts are sent. */
  readonly provider: ProviderDocument;
  /** Values of the claims that the document leaves to the user, such as LiveKit's `apiKey`. Default: none. */
  readonly claims?: Readonly<Record<string, string>> | undefined;
  /**
   * The event types that it handles. Default: those of the samples; else all of a document that the reference service
   * sends, and a few of others.
   */
  readonly types?: readonly string[] | undefined;
  /** The URL of its effects, or another source of them. Default: none. */
  readonly effects?: string | EffectsSource | undefined;
  /** The host of `url` (and the effects' URL) if it is not this machine; confirms that it may be attacked. */
  readonly owned?: string | undefined;
  /** True to run checks that wait for the receiver's own deadlines. Default false. */
  readonly slow?: boolean | undefined;
  /** The user's sample bodies by type, from `readSamples`: events of that type are made like them. */
  readonly samples?: Samples | undefined;
  /** The document that describes the provider's events. Default: their schemas in its catalogue. */
  readonly document?: EventsDocument | undefined;
  /** Restarts the receiver, and resolves when it accepts attempts. Default: no restart. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** Makes the receiver handle what is missing of the list of events at a URL. Default: no reconciliation. */
  readonly reconcile?: ((listUrl: string) => Promise<void>) | undefined;
  /** Part of every id, different in each run against one receiver. Default: the time. */
  readonly nonce?: string | undefined;
  /** Milliseconds for one answer. Default: the provider's timeout of an attempt, 2 s or more. */
  readonly deadlineMs?: number | undefined;
  /** Maximum requests per second. Default: 50 to another machine, unlimited to this one. */
  readonly perSecond?: number | undefined;
  /** Milliseconds that an effect may take to show. Default 2000. */
  readonly effectsWaitMs?: number | undefined;
  /** Default: this machine's clock. */
  readonly clock?: Clock | undefined;
}

/** A merchant's receiver, in any language, as the sender of attempts sees it; `receiverTarget` makes one. */
export interface ReceiverTarget extends Pick<
  ReceiverTargetOptions,
  "url" | "secrets" | "provider" | "restart" | "reconcile"
> {
  readonly role: "receiver";
  /** Sends attempts as bytes, over its own sockets. */
  readonly sockets: Sockets;
  readonly signing: Signing;
  readonly events: ProviderEvents;
  /** True if each type of `events` is known to have a handler: otherwise types without an effect are left out. */
  readonly handlesAll: boolean;
  /** The handlers' effects; absent if the target does not show them. */
  readonly effects?: Effects | undefined;
  /** Milliseconds that an effect may take to show after its attempt was acknowledged. */
  readonly effectsWaitMs: number;
  /** Requests of a whole run, measured with honest receivers. */
  readonly expectedRequests: number;
  /** Requests after which a run ends: busy receivers get attempts again, and slow ones take longer. */
  readonly maxRequests: number;
  /** Makes the ids of a run differ from those of earlier runs, which the receiver may remember. */
  readonly nonce: string;
  /** Facts that a reader of the report needs in addition to the findings, a sentence each. */
  readonly notes: () => readonly string[];
  readonly close: () => void;
  /** True to run checks that wait for the receiver's own deadlines. */
  readonly slow: boolean;
  /** Facts that one check of a run learns and later ones need. */
  readonly runState: RunState;
}

/** Results of one genuine attempt of each type. */
export interface Survey {
  readonly sent: readonly Sent[];
  /** Absent if the target shows no effects. */
  readonly seen?: Seen | undefined;
  /** The reason if all of them were refused. */
  readonly cause?: string | undefined;
}

/** Plain events that were acknowledged and never handled. */
export interface Loss {
  readonly requirement: "R-ONCE-DISTINCT" | "R-LOAD-SHED";
  readonly message: string;
}

interface RunState {
  /** Absent until the first check begins. */
  survey?: Promise<Survey>;
  /** Set once the receiver has ended or hung: nothing more is sent until it answers again. */
  lost?: {
    readonly error: TargetLostError;
    readonly during: string;
    /** True if it still answers, and refuses the provider because of what strangers have sent. */
    readonly isBan?: boolean;
  };
  /** The reason if handlers no longer run for what is acknowledged. */
  stopped?: string | undefined;
  /** Set once plain events are lost: effects show nothing about anything else then. */
  loss?: Loss | undefined;
  /** Genuine attempts of the catalogue that were acknowledged and showed no effect. */
  silent?: readonly Sent[];
  /** True if it was still lost when the next check began; absent until then. */
  isGone?: boolean;
  /** When the first check began, in milliseconds of a clock that only goes forward. */
  startedAt?: number;
  /** When the last event whose handler had failed was handled. */
  failedAt?: number;
  /** True once an attempt was acknowledged. */
  hasAcknowledged?: boolean;
  /** Attempts that were refused, and the number of requests until the last of them. */
  readonly refusals: { count: number; sent: number };
  /** Resolves if 429 after refused attempts is not due to them. */
  ban?: Promise<void>;
  /** Milliseconds that the run waited because of 429. */
  limitedMs: number;
  /** Milliseconds spent on retries that failed in the end. */
  futileMs: number;
  /** Events that were handled once, the oldest first: they are read again, and sent again, at the end. */
  readonly handled: TestEvent[];
  /** Events that were still in progress long after their sender hung up, each with what was seen. */
  readonly unfinished: { readonly event: TestEvent; readonly message: string }[];
  /** Attempts that were refused and had no effect when it was read. */
  readonly refused: Attempt[];
  /** The first attempt whose answer has no marked end. */
  endless?: Sent;
  /** Answers of the run that differ, by their text, each with the first attempt that got it. */
  readonly answers: Map<string, Sent & { readonly isGenuine: boolean }>;
}

/** Requests of a run, measured: without effects, with them, for each type, and for each of a long catalogue. */
const REQUESTS = { answers: 1600, effects: 450, type: 45, catalogue: 2 };
/** The most requests of a run, as a multiple of what it needs. */
const MAX_FACTOR = 4;
/** Different answers that are kept of a run. */
export const MAX_ANSWERS = 2000;
/** Requests that are left for the checks that judge the whole run. */
const LAST_REQUESTS = 200;

/** The effects of a receiver with a memory are a longer list than an answer. */
const MAX_EFFECTS_BYTES = 8 * 1_048_576;
/** A sender's timeout if a document does not say, and the least that a busy machine keeps. */
const DEADLINE_MS = 15_000;
const LEAST_DEADLINE_MS = 2000;

/**
 * A receiver in any language, over HTTP.
 *
 * @throws {TargetNotOwnedError} `CS_KIT_TARGET_NOT_OWNED`: another machine that the user has not confirmed to own;
 *   nothing was sent or looked up.
 * @throws {TypeError} A URL, a secret, a claim or a type is unusable, or only the provider has the keys that it signs
 *   with; the message never contains a secret.
 */
export function receiverTarget(options: ReceiverTargetOptions): ReceiverTarget {
  const { url, secrets, owned, perSecond, effects, provider, samples = new Map() } = options;
  const { clock = systemClock, effectsWaitMs = 2000 } = options;
  const { sending, answer = {}, catalogue = [] } = provider;
  const documentedMs = sending?.timeoutMs ?? (answer.deadlineSeconds ?? 0) * 1000;
  const deadlineMs = options.deadlineMs ?? Math.max(documentedMs || DEADLINE_MS, LEAST_DEADLINE_MS);
  const common = { owned, clock, perSecond, deadlineMs };
  const document = options.document && describedBy(options.document, provider);
  const rows = rowsFor(options, document);
  const rare = REQUESTS.catalogue * Math.max(0, catalogue.length - rows.length);
  const usual = REQUESTS.answers + (effects === undefined ? 0 : REQUESTS.effects);
  const expectedRequests = Math.ceil((usual + REQUESTS.type * rows.length + rare) / 100) * 100;
  const maxRequests = MAX_FACTOR * expectedRequests;
  const sockets = new Sockets({ ...common, url: parseUrl(url) });
  sockets.maxRequests = maxRequests - LAST_REQUESTS;
  const signing = new Signing(provider, checkedClaims(provider, options.claims));
  signing.check(secrets);
  const effectsSockets =
    typeof effects === "string"
      ? new Sockets({ ...common, url: parseUrl(effects), maxBodyBytes: MAX_EFFECTS_BYTES })
      : undefined;
  const source =
    typeof effects === "string" ? effectsSockets && httpEffects(effectsSockets) : effects;
  const runState: RunState = {
    handled: [],
    unfinished: [],
    refused: [],
    answers: new Map(),
    refusals: { count: 0, sent: 0 },
    limitedMs: 0,
    futileMs: 0,
  };
  const path = sockets.url.pathname + sockets.url.search;
  return {
    ...options,
    role: "receiver",
    sockets,
    signing,
    events: new ProviderEvents({ provider, path, rows, samples, document }),
    handlesAll: (options.types ?? options.samples ?? sending) !== undefined,
    effects: source && new Effects(source, { clock, waitMs: effectsWaitMs }),
    effectsWaitMs,
    expectedRequests,
    maxRequests,
    nonce: options.nonce ?? clock.now().toString(36),
    slow: options.slow ?? false,
    runState,
    notes: () => [
      `${sockets.sent} requests were sent to the receiver`,
      ...(runState.answers.size < MAX_ANSWERS
        ? []
        : [`only the first ${MAX_ANSWERS} different answers were searched for secrets and stacks`]),
      ...skewNotes(sockets.aheadSeconds ?? 0),
    ],
    close: () => {
      sockets.close();
      effectsSockets?.close();
    },
  };
}

/** Types that are sent of a long catalogue whose handlers are not known. */
const SOME_TYPES = 4;

/** @throws {TypeError} The catalogue does not have a type. */
function rowsFor(
  { types, samples, provider }: ReceiverTargetOptions,
  document: ProviderEventsDocument | undefined,
): readonly CatalogueRow[] {
  const { catalogue = [], sending, event, title } = provider;
  const row = (type: string) => catalogue.find((one) => one.type === type) ?? { type };
  if (types !== undefined) {
    const isUnknown = (type: string) =>
      !catalogue.includes(row(type)) && !ownFormOf(provider, type);
    const unknown = types.find(isUnknown);
    if (types.length === 0 || (unknown !== undefined && catalogue.length > 0))
      throw new TypeError(`${title} has no event ${JSON.stringify(unknown ?? "")}`);
    return types.map(row);
  }
  if (sending !== undefined) return catalogue;
  if (samples !== undefined) return [...samples.keys()].map(row);
  if (catalogue.length > 0) {
    const usual = catalogue.filter(({ type }) => isUsualType(provider, type));
    const described = usual.filter(
      (one) => (one.schema ?? one.sample ?? document?.data.get(one.type)) !== undefined,
    );
    return spread(described.length > 0 ? described : usual, SOME_TYPES);
  }
  const { separator = "." } = event;
  const parts = [event.type].flat();
  const fixed = parts.flatMap((part) => (typeof part === "object" ? part.text : []));
  if (fixed.length === parts.length) return [row(fixed.join(separator))];
  return ["created", "updated"].map((name) =>
    row([...(fixed.length > 0 ? fixed : ["example"]), name].join(separator)),
  );
}

/** @throws {TypeError} A claim that the document leaves to the user is missing. */
function checkedClaims(
  { signature: { claims = {} }, title }: ProviderDocument,
  given: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  for (const claim of Object.values(claims)) {
    const name = typeof claim === "string" ? /^option:(.+)$/.exec(claim)?.[1] : undefined;
    if (name !== undefined && given[name] === undefined)
      throw new TypeError(`${title} signs the claim ${name}: its value is missing`);
  }
  return given;
}

/** Clock difference in seconds that is not reported. */
const UNREPORTED_SECONDS = 3;

/** Attempts are signed with this machine's clock anyway, as a provider would. */
function skewNotes(aheadSeconds: number): readonly string[] {
  const apart = Math.abs(aheadSeconds);
  if (apart <= UNREPORTED_SECONDS) return [];
  const side = aheadSeconds > 0 ? "ahead of" : "behind";
  return [`the receiver's clock is ${apart} s ${side} this machine's, by its Date header`];
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new TypeError("a receiver's URL is http or https");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("a receiver's URL has no user and no password in it");
  return url;
}
