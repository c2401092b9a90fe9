import type { ProviderDocument } from "@countersign/schemas/providers";
import type { ReceiverTarget } from "../target.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Effects, type EffectsSource, httpEffects } from "./effects.ts";
import { exampleBody } from "./event-shapes.ts";
import { type CatalogueRow, ProviderEvents, type Samples } from "./provider-events.ts";
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
  /** True for a search ten times as long. Default false. */
  readonly thorough?: boolean | undefined;
  /** True to judge what only strict receivers do, such as refusing a member that appears twice. Default: `thorough`. */
  readonly strict?: boolean | undefined;
  /** Restarts the receiver, and resolves when it accepts attempts. Default: no restart. */
  readonly restart?: (() => Promise<void>) | undefined;
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
  const { url, secrets, owned, perSecond, effects, restart, provider, samples } = options;
  const { clock = systemClock, effectsWaitMs = 2000 } = options;
  const { sending, answer = {} } = provider;
  const documentedMs = sending?.timeoutMs ?? (answer.deadlineSeconds ?? 0) * 1000;
  const deadlineMs = options.deadlineMs ?? Math.max(documentedMs || DEADLINE_MS, LEAST_DEADLINE_MS);
  const common = { owned, clock, perSecond, deadlineMs };
  const sockets = new Sockets({ ...common, url: parseUrl(url) });
  const signing = new Signing(provider, checkedClaims(provider, options.claims));
  signing.check(secrets);
  const effectsSockets =
    typeof effects === "string"
      ? new Sockets({ ...common, url: parseUrl(effects), maxBodyBytes: MAX_EFFECTS_BYTES })
      : undefined;
  const source =
    typeof effects === "string" ? effectsSockets && httpEffects(effectsSockets) : effects;
  const events = new ProviderEvents({
    provider,
    path: `${sockets.url.pathname}${sockets.url.search}`,
    rows: rowsFor(provider, options.types, samples),
    ...(samples && { samples }),
    example: (row, dataAt) => exampleBody(row, dataAt),
  });
  return {
    role: "receiver",
    url,
    sockets,
    provider,
    profile: { name: provider.name, payments: hasPayments(provider) },
    signing,
    events,
    handlesAll: options.types !== undefined || samples !== undefined || sending !== undefined,
    secrets,
    ...(source && { effects: new Effects(source, { clock, waitMs: effectsWaitMs }) }),
    effectsWaitMs,
    nonce: options.nonce ?? clock.now().toString(36),
    slow: options.slow ?? false,
    effort: options.thorough === true ? 10 : 1,
    strict: options.strict ?? options.thorough ?? false,
    ...(restart && { restart }),
    runState: { handled: [], refused: [], futileMs: 0 },
    notes: () => [
      `${sockets.sent} requests were sent to the receiver`,
      ...skewNotes(sockets.aheadSeconds ?? 0),
    ],
    close: () => {
      sockets.close();
      effectsSockets?.close();
    },
  };
}

/** True if a provider's events are those of the payment interface. */
function hasPayments({ catalogue = [] }: ProviderDocument): boolean {
  return catalogue.some(({ kind }) => kind !== undefined);
}

/** Types that are sent of a long catalogue whose handlers are not known. */
const SOME_TYPES = 4;

/** @throws {TypeError} The catalogue does not have a type. */
function rowsFor(
  { catalogue = [], sending, event, title }: ProviderDocument,
  types: readonly string[] | undefined,
  samples: Samples | undefined,
): readonly CatalogueRow[] {
  const row = (type: string): CatalogueRow =>
    catalogue.find((one) => one.type === type) ?? { type };
  if (types !== undefined) {
    const unknown = types.find((type) => catalogue.every((one) => one.type !== type));
    if (types.length === 0 || (unknown !== undefined && catalogue.length > 0))
      throw new TypeError(`${title} has no event ${JSON.stringify(unknown ?? "")}`);
    return types.map(row);
  }
  if (sending !== undefined) return catalogue;
  if (samples !== undefined) return [...samples.keys()].map(row);
  if (catalogue.length > 0) {
    const described = catalogue.filter(
      (one) => one.schema !== undefined || one.sample !== undefined,
    );
    const list = described.length > 0 ? described : catalogue;
    const step = Math.max(1, Math.floor(list.length / SOME_TYPES));
    return list.filter((_, index) => index % step === 0).slice(0, SOME_TYPES);
  }
  const { separator = "." } = event;
  const fixed = [event.type].flat().flatMap((part) => (typeof part === "object" ? part.text : []));
  const isOpen = [event.type].flat().some((part) => typeof part === "string");
  const names = isOpen
    ? fixed.length > 0
      ? ["created", "updated"]
      : ["example.created", "example.updated"]
    : [""];
  return names.map((name) => row([...fixed, name].filter((one) => one !== "").join(separator)));
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
