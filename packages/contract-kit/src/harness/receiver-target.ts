import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noMembers, type Profile, putAt, valueAt } from "@countersign/schemas";
import { type ResolvedProfile, resolveProfile, senderOf } from "@countersign/schemas/provider-of";
import { profiles } from "@countersign/schemas/profiles";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { isRecord, parseJson } from "../values.ts";
import type { ReceiverTarget } from "../target.ts";
import { type Samples, eventMaker } from "./events.ts";
import { Effects } from "./effects.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Signing } from "./signing.ts";
import { Sockets } from "./sockets.ts";

export interface ReceiverTargetOptions {
  /** The receiver's URL; http or https. */
  readonly url: string;
  /** The receiver's secrets as its configuration has them, 1 to 4; the first one signs. */
  readonly secrets: readonly string[];
  readonly profile: Profile;
  /** The events that it handles, by their names. Default: all of the profile's catalogue. */
  readonly types?: readonly string[] | undefined;
  /** The URL of its effects. Default: none. */
  readonly effectsUrl?: string | undefined;
  /** The host of `url` (and `effectsUrl`) if it is not this machine; confirms that it may be attacked. */
  readonly owned?: string | undefined;
  /** True to run checks that wait for the receiver's own deadlines. Default false. */
  readonly slow?: boolean | undefined;
  /** The user's sample events by type: events of that type are made like them. */
  readonly samples?: Samples | undefined;
  /** False if events have no id in the body: their headers have it. Default true. */
  readonly hasBodyId?: boolean | undefined;
  /** True for a search ten times as long. Default false. */
  readonly thorough?: boolean | undefined;
  /** Restarts the receiver, and resolves when it accepts attempts. Default: no restart. */
  readonly restart?: (() => Promise<void>) | undefined;
  /** Part of every id, different in each run against one receiver. Default: the time. */
  readonly nonce?: string | undefined;
  /** Milliseconds for one answer. Default: the profile's timeout of an attempt. */
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

/**
 * A receiver in any language, over HTTP.
 *
 * @throws {TargetNotOwnedError} `CS_KIT_TARGET_NOT_OWNED`: another machine that the user has not confirmed to own;
 *   nothing was sent or looked up.
 * @throws {TypeError} A URL, a secret or a type is unusable; the message never contains a secret.
 */
export function receiverTarget(options: ReceiverTargetOptions): ReceiverTarget {
  const { url, secrets, owned, perSecond, effectsUrl, restart } = options;
  const { clock = systemClock, effectsWaitMs = 2000 } = options;
  const profile = handledOf(resolveProfile(options.profile), options.types);
  const deadlineMs = options.deadlineMs ?? profile.sending.timeoutMs;
  const common = { owned, clock, perSecond, deadlineMs };
  const sockets = new Sockets({ ...common, url: urlOf(url) });
  // One by one: a scheme of one signature a header signs with one secret, and a receiver may have two.
  for (const secret of secrets) schemeOf(profile.provider).check([secret], "sign");
  const effectsSockets =
    effectsUrl === undefined
      ? undefined
      : new Sockets({ ...common, url: urlOf(effectsUrl), maxBodyBytes: MAX_EFFECTS_BYTES });
  return {
    role: "receiver",
    url,
    sockets,
    secrets,
    profile,
    ...(effectsSockets && { effects: new Effects(effectsSockets, effectsWaitMs) }),
    effectsWaitMs,
    nonce: options.nonce ?? clock.now().toString(36),
    slow: options.slow ?? false,
    effort: options.thorough === true ? 10 : 1,
    events: eventMaker(profile, options.samples, options.hasBodyId),
    ...(restart && { restart }),
    runState: { handled: [] },
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

function handledOf(
  profile: ResolvedProfile,
  types: readonly string[] | undefined,
): ResolvedProfile {
  if (types === undefined) return profile;
  const strange = types.find((type) => profile.catalogue.every((row) => row.type !== type));
  if (strange !== undefined || types.length === 0)
    throw new TypeError(`profile ${profile.name} has no event ${JSON.stringify(strange ?? "")}`);
  return { ...profile, catalogue: profile.catalogue.filter(({ type }) => types.includes(type)) };
}

/** Clock difference in seconds that is not reported. */
const TOLD_SECONDS = 3;

/** Attempts are signed with this machine's clock anyway, as a provider would. */
function skewNotes(aheadSeconds: number): readonly string[] {
  const apart = Math.abs(aheadSeconds);
  if (apart <= TOLD_SECONDS) return [];
  const side = aheadSeconds > 0 ? "ahead of" : "behind";
  return [`the receiver's clock is ${apart} s ${side} this machine's, by its Date header`];
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new TypeError("a receiver's URL is http or https");
  if (url.username !== "" || url.password !== "")
    throw new TypeError("a receiver's URL has no user and no password in it");
  return url;
}

type Event = Readonly<Record<string, unknown>>;

/**
 * Reads whole events from a folder's `*.json` files, one event a file.
 *
 * @throws {TypeError} The folder cannot be read or has no such file, or a file is not an event of the profile; the
 *   message is a sentence that names it.
 */
export function readSamples(folder: string, profile: Profile): Samples {
  const { envelope, catalogue, name } = resolveProfile(profile);
  const samples = new Map<string, Event[]>();
  for (const [file, event] of eventsIn(folder)) {
    const type = valueAt(event, envelope.type);
    const row = catalogue.find((one) => one.type === type);
    if (row === undefined)
      throw new TypeError(
        `sample ${file} has the type ${JSON.stringify(type) ?? "undefined"} at ${envelope.type}, and profile ${name} has no such event`,
      );
    samples.set(row.type, [...(samples.get(row.type) ?? []), event]);
  }
  return samples;
}

/** @throws {TypeError} The folder cannot be read or has no such file, or a file is not a JSON object. */
function eventsIn(folder: string): readonly (readonly [file: string, event: Event])[] {
  let files: readonly (readonly [file: string, text: string])[];
  try {
    const names = readdirSync(folder).filter((one) => one.endsWith(".json"));
    files = names.toSorted().map((file) => [file, readFileSync(join(folder, file), "utf8")]);
  } catch (cause) {
    // Errors of Node have a code.
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    throw new TypeError(`cannot read the folder of samples ${folder}: ${code}`, { cause });
  }
  if (files.length === 0) throw new TypeError(`the folder of samples ${folder} has no .json file`);
  return files.map(([file, text]) => {
    const event = parseJson(text);
    const path = join(folder, file);
    if (event === undefined) throw new TypeError(`sample ${path} is not JSON`);
    if (!isRecord(event)) throw new TypeError(`sample ${path} is not a JSON object`);
    return [file, event] as const;
  });
}

/**
 * The events of a provider that the reference service is not: the user's samples, or two plain ones, with a new id and
 * a new time each.
 *
 * @param folder The user's events as `*.json`.
 * @throws {TypeError} The provider's events cannot be written, or a file is not one of them; the message is a sentence
 *   that names the provider or the file.
 */
export function providerEvents(
  provider: ProviderDocument,
  folder?: string,
): { readonly profile: Profile; readonly samples: Samples } {
  const profileOf = (types: readonly string[]): Profile => ({
    ...profiles.standard,
    name: provider.name,
    provider: {
      sending: senderOf(profiles.standard).sending,
      ...provider,
      catalogue: types.map((type) => ({ type })),
    },
  });
  // Throws if attempts cannot be forged, before one is sent.
  void new Signing(provider);
  const { envelope } = resolveProfile(profileOf([]));
  const plain = ["example.created", "example.updated"].map((type) => {
    const event = noMembers();
    putAt(event, envelope.type, type);
    putAt(event, `${envelope.data}/id`, "1");
    return event;
  });
  const events = folder === undefined ? plain : eventsIn(folder).map(([, event]) => event);
  const samples = new Map<string, Event[]>();
  for (const event of events) {
    const type = valueAt(event, envelope.type);
    if (typeof type !== "string" || !/^[A-Za-z0-9_.-]{1,128}$/.test(type))
      throw new TypeError(
        `each sample needs a type of letters, digits and ._- at ${envelope.type}`,
      );
    samples.set(type, [...(samples.get(type) ?? []), event]);
  }
  return { samples, profile: profileOf([...samples.keys()]) };
}
