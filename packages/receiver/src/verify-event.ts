import type { Catalogue } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { HeadersLike, Secret, SignatureErrorCode } from "@countersign/signatures";
import {
  type EventFacts,
  type IncomingEvent,
  type UnknownEvent,
  validate,
} from "./pipeline/event.ts";
import type { Rejected, RejectionDetail, RejectionFacts } from "./pipeline/outcome.ts";
import type { VerifyParts } from "./pipeline/parts.ts";
import { readEvents, Reading } from "./pipeline/read-events.ts";
import { formatOf } from "./pipeline/media.ts";
import { signedUrl } from "./pipeline/verify.ts";
import {
  providerParts,
  type TypedProvider,
  type UntypedEvents,
  verifySettings,
} from "./provider.ts";

export interface VerifyEventOptions<Types> {
  /** The sender's document, such as `stripe` of `@countersign/receiver/providers`, or one of your own. */
  readonly provider: TypedProvider<Types>;
  /** Active secrets, 1 to 4; all are tried. `undefined` is a `TypeError`: an environment variable is not set. */
  readonly secrets?: readonly (Secret | undefined)[];
  /** Types and validators of the events, as `countersign types --validators` writes them. */
  readonly catalogue?: Catalogue<Types>;
  /** The same as for `createReceiver`. */
  readonly validate?: "report" | "refuse";
  /** The public URL of this endpoint, for providers that sign it. */
  readonly url?: string;
  /** The key that the attempt names, as PEM or JWK text, for providers that sign with one. */
  readonly key?: string;
  /** Values of the provider's own claims. */
  readonly claims?: Readonly<Record<string, string>>;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: number | (() => number);
}

/** A request as it arrived. */
export interface EventRequest {
  readonly headers: HeadersLike;
  /** The raw bytes; a body that was parsed and printed again does not verify. */
  readonly body: Uint8Array;
  /** Default POST. */
  readonly method?: string;
  /** The request's path and query, for providers that sign a part of them. */
  readonly url?: string;
}

/** The reason for which `verifyEvent` refuses an attempt. */
export type VerifyEventCode =
  | SignatureErrorCode
  | "CS_BODY_NOT_JSON"
  | "CS_EVENT_ENVELOPE"
  | "CS_EVENT_SCHEMA";

/** A genuine event. */
export type GenuineEvent<Types> = {
  /** Its id, category and time, and what of it the signature proves. */
  readonly facts: EventFacts;
  /** Faults of a body that does not fit its schema, unless it is refused. */
  readonly schemaErrors?: readonly RejectionDetail[];
} & (
  | {
      /** The catalogue has the event's type, or there is no catalogue. */
      readonly known: true;
      readonly event: Types[keyof Types];
    }
  | {
      /** Senders add types without notice; nothing is known about the data. */
      readonly known: false;
      readonly event: UnknownEvent;
    }
);

interface Refusal {
  readonly ok: false;
  readonly code: VerifyEventCode;
  /** For your log: the sender must not see them. */
  readonly facts: RejectionFacts & { readonly details?: readonly RejectionDetail[] };
}

/** The result of `verifyEvent`. */
export type VerifiedEvent<Types> =
  | ({
      readonly ok: true;
      /** Index of the secret that matched. */
      readonly secretIndex: number;
    } & GenuineEvent<Types>)
  | Refusal;

/** The result of `verifyEvents`. */
export type VerifiedEvents<Types> =
  | {
      readonly ok: true;
      readonly secretIndex: number;
      readonly events: readonly GenuineEvent<Types>[];
    }
  | Refusal;

/**
 * Verifies, parses, validates and types one webhook, without an inbox, a router or an answer: recognising duplicates
 * by `facts.id` is up to you. Never throws for what a stranger sends.
 *
 * @throws {TypeError} The document, a secret, the clock or the kind of the body is unusable: a mistake of the caller. Or
 *   the provider sends several events at once: use `verifyEvents`.
 */
export function verifyEvent<Types = UntypedEvents>(
  request: EventRequest,
  options: VerifyEventOptions<Types>,
): VerifiedEvent<Types> {
  if (options.provider?.batch !== undefined)
    throw new TypeError(`verifyEvent: ${options.provider.title} sends batches: use verifyEvents`);
  const result = verifyEvents(request, options);
  if (!result.ok) return result;
  const { ok, secretIndex, events } = result;
  const [event] = events;
  // Only a batch can be empty.
  if (event === undefined) throw new TypeError("verifyEvent: no event");
  return { ok, secretIndex, ...event };
}

/** Does the same as `verifyEvent`, for providers that send several events at once too. */
export function verifyEvents<Types = UntypedEvents>(
  { headers, body, method = "POST", url }: EventRequest,
  options: VerifyEventOptions<Types>,
): VerifiedEvents<Types> {
  const { secrets = [], key, claims, now = Date.now } = options;
  const parts = partsOf(options);
  const places = { headers, body, url: signedUrl(url, parts) };
  const reading = new Reading(places, { format: formatOf(places, parts.media), depth: 16 });
  // The scheme refuses what is not a secret, `undefined` included.
  const verification = parts.scheme.verify(
    { ...places, method, places: reading.places },
    secrets as readonly Secret[],
    { now: typeof now === "function" ? now() : now, key, claims },
  );
  if (!verification.ok) return { ok: false, code: verification.code, facts: verification.facts };

  const read = readEvents(reading, "", parts);
  if ("kind" in read) return refused(read);
  const events: GenuineEvent<Types>[] = [];
  for (const one of read) {
    const faults = validate(one, parts);
    if (faults !== undefined && "kind" in faults) return refused(faults);
    events.push({ ...genuine<Types>(one, parts), ...(faults && { schemaErrors: faults }) });
  }
  return { ok: true, secretIndex: verification.secretIndex, events };
}

function genuine<Types>(
  { identity: { type }, facts, body, data }: IncomingEvent,
  { catalogue }: VerifyParts,
): GenuineEvent<Types> {
  return catalogue.size === 0 || catalogue.has(type)
    ? // The catalogue's validator has just accepted it, or the types are the user's own.
      { facts, known: true, event: body as Types[keyof Types] }
    : { facts, known: false, event: { ...facts, data } };
}

function refused({ code, facts = {}, details }: Rejected): Refusal {
  return {
    ok: false,
    // `readEvents` and `validate` refuse with these codes only.
    code: code as VerifyEventCode,
    facts: { ...facts, ...(details && { details }) },
  };
}

/** A scheme keeps imported keys, which cost more than the rest of a call. */
const known = new WeakMap<ProviderDocument, Map<unknown, VerifyParts>>();

function partsOf<Types>({
  provider,
  catalogue,
  ...options
}: VerifyEventOptions<Types>): VerifyParts {
  const ofProvider = known.get(provider) ?? new Map<unknown, VerifyParts>();
  const kept = ofProvider.get(catalogue);
  if (kept?.publicUrl === options.url && kept !== undefined && options.validate === undefined)
    return kept;
  const parts = providerParts(provider, catalogue);
  const all = { ...parts, ...verifySettings(options, parts, "verifyEvent") };
  known.set(provider, ofProvider.set(catalogue, all));
  return all;
}
