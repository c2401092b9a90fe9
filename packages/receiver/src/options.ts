import type { HeadersLike, Secret } from "@countersign/signatures";
import type { Catalogue } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import type { UnknownEvent } from "./envelope.ts";
import type { Handler } from "./handler.ts";
import type { Inbox } from "./inbox.ts";
import type { Outcome } from "./outcome.ts";
import type { ReceiverLimits } from "./receiver-parts.ts";
import type { Respond } from "./respond.ts";
import { nearest } from "./router.ts";

/** The types of a catalogue's events by their names. */
export type EventTypes = Readonly<Record<string, { readonly category: string }>>;

/** What `secrets` is asked with. Nothing of the body: it is not verified yet. */
export interface SecretsRequest {
  readonly headers: HeadersLike;
  readonly path: string | undefined;
}

/** Secrets for one attempt; with several tenants, the tenant that they belong to. */
export type SecretsAnswer =
  | readonly Secret[]
  | { readonly tenant: string; readonly secrets: readonly Secret[] };

export type SecretsOption =
  | readonly (Secret | undefined)[]
  | ((request: SecretsRequest) => SecretsAnswer | Promise<SecretsAnswer>);

export interface ReceiverOptions<Types> {
  /**
   * Active secrets, 1 to 4; all are tried, so that one can be replaced without refusing an attempt.
   * `undefined` is a `TypeError`: it is an environment variable that is not set.
   * Or a function that finds them for an attempt, and the tenant they belong to; an empty list
   * refuses the attempt with 401. Whatever it throws is answered 503.
   */
  readonly secrets: SecretsOption;
  /** Handles every event without a handler of its own, also of types that this version does not know. */
  readonly fallback: Handler<UnknownEvent>;
  /** What the interface leaves open: a built-in name or a document. Default `'standard'`. */
  readonly profile?: "standard" | "x-signature" | Profile;
  /** Another provider's events. Default: those of the profile, validated and typed for the standard one. */
  readonly catalogue?: Catalogue<Types>;
  /** The record of events. Default `memoryInbox()`, which is for development. */
  readonly inbox?: Inbox;
  /** When an event is acknowledged. `'after-store'` needs a durable inbox. Default `'after-handler'`. */
  readonly acknowledge?: "after-handler";
  /** How long a claim holds, in milliseconds, more than `limits.handlerMs`. Default 60,000. */
  readonly lease?: number;
  /** Default `{ bodyBytes: 1048576, bodyMs: 10000, depth: 16, handlerMs: 10000, concurrentHandlers: 16 }`. */
  readonly limits?: Partial<ReceiverLimits>;
  /** Maps an outcome to an answer. Default `defaultRespond`. */
  readonly respond?: Respond;
  /** The receiver's clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Sees every outcome, also rejections. What it throws changes nothing. */
  readonly onOutcome?: (outcome: Outcome, facts: { readonly durationMs: number }) => void;
}

const OPTION_NAMES: readonly (keyof ReceiverOptions<EventTypes>)[] = [
  "secrets",
  "fallback",
  "profile",
  "catalogue",
  "inbox",
  "acknowledge",
  "lease",
  "limits",
  "respond",
  "now",
  "onOutcome",
];

const DEFAULT_LIMITS: ReceiverLimits = {
  bodyBytes: 1_048_576,
  bodyMs: 10_000,
  depth: 16,
  handlerMs: 10_000,
  concurrentHandlers: 16,
};

const DEFAULT_LEASE_MS = 60_000;

/** A mistyped option would be a limit or a check that is silently off. */
export function checkNames(options: object): void {
  for (const name of Object.keys(options))
    if (!(OPTION_NAMES as readonly string[]).includes(name))
      throw new TypeError(
        `createReceiver: no option ${JSON.stringify(name)}; ${nearest(name, OPTION_NAMES)}`,
      );
}

/** Limits are positive integers: NaN, Infinity or "1mb" would switch a check off. */
export function checkLimits(limits: Partial<ReceiverLimits> = {}): ReceiverLimits {
  const names = Object.keys(DEFAULT_LIMITS);
  for (const name of Object.keys(limits))
    if (!names.includes(name))
      throw new TypeError(
        `createReceiver: no limit ${JSON.stringify(name)}; ${nearest(name, names)}`,
      );
  const checked = { ...DEFAULT_LIMITS, ...limits };
  for (const [name, value] of Object.entries(checked)) positiveInteger(`limits.${name}`, value);
  return checked;
}

export function checkLease(lease: number = DEFAULT_LEASE_MS, limits: ReceiverLimits): number {
  positiveInteger("lease", lease);
  if (lease <= limits.handlerMs)
    throw new TypeError(
      'createReceiver: "lease" must be longer than "limits.handlerMs", else a handler outlives its claim',
    );
  return lease;
}

function positiveInteger(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value) || Number(value) < 1)
    throw new TypeError(`createReceiver: "${name}" must be a positive integer`);
}
