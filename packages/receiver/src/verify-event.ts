import type { Catalogue } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import type { HeadersLike, Secret, SignatureErrorCode } from "@countersign/signatures";
import { MistakeError, withCode } from "./mistake.ts";
import { type EventFacts, type UnknownEvent, validate } from "./pipeline/event.ts";
import type { Rejected, RejectionDetail, RejectionFacts } from "./pipeline/outcome.ts";
import type { ProviderParts, VerifyParts } from "./pipeline/parts.ts";
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
 * @throws {MistakeError} `CS_PROVIDER_INVALID`, `CS_SECRET_INVALID`; `CS_OPTION_INVALID`: the clock, the key or the kind of
 *   the body; `CS_OPTION_CONFLICT`: the provider sends several events at once: use `verifyEvents`.
 */
export function verifyEvent<Types = UntypedEvents>(
  request: EventRequest,
  options: VerifyEventOptions<Types>,
): VerifiedEvent<Types> {
  if (options.provider?.batch !== undefined)
    throw new MistakeError(
      `${caller}: ${options.provider.title} sends batches: use verifyEvents`,
      "CS_OPTION_CONFLICT",
    );
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
  const { key, claims, now = Date.now } = options;
  // The scheme refuses what is not a secret, `undefined` included.
  const secrets = (options.secrets ?? []) as readonly Secret[];
  const parts = partsOf(options);
  const { scheme, media, catalogue } = parts;
  withCode({ code: "CS_SECRET_INVALID", caller }, () => scheme.check(secrets, "verify"));
  const places = { headers, body, url: signedUrl(url, parts) };
  const reading = new Reading(places, { format: formatOf(places, media), depth: 16 });
  const verification = withCode({ code: "CS_OPTION_INVALID", caller }, () =>
    scheme.verify({ ...places, method, places: reading.places }, secrets, {
      now: typeof now === "function" ? now() : now,
      key,
      claims,
    }),
  );
  if (!verification.ok) return { ok: false, code: verification.code, facts: verification.facts };

  const read = readEvents(reading, "", parts);
  if ("kind" in read) return refused(read);
  const events: GenuineEvent<Types>[] = [];
  for (const one of read) {
    const faults = validate(one, parts);
    if (faults !== undefined && "kind" in faults) return refused(faults);
    const { identity, facts, body: event, data } = one;
    events.push({
      facts,
      ...(faults && { schemaErrors: faults }),
      ...(catalogue.size === 0 || catalogue.has(identity.type)
        ? // The catalogue's validator has just accepted it, or the types are the user's own.
          { known: true, event: event as Types[keyof Types] }
        : { known: false, event: { ...facts, data } }),
    });
  }
  return { ok: true, secretIndex: verification.secretIndex, events };
}

const caller = "verifyEvent";

function refused({ code, facts = {}, details }: Rejected): Refusal {
  return {
    ok: false,
    // `readEvents` and `validate` refuse with these codes only.
    code: code as VerifyEventCode,
    facts: { ...facts, ...(details && { details }) },
  };
}

/** Compiled documents. A scheme also keeps imported keys, which cost more than the rest of a call. */
const compiled = new WeakMap<ProviderDocument, Map<unknown, ProviderParts>>();

function partsOf({ provider, catalogue, ...options }: VerifyEventOptions<unknown>): VerifyParts {
  const known = compiled.get(provider) ?? new Map<unknown, ProviderParts>();
  const parts = known.get(catalogue) ?? providerParts(provider, catalogue, caller);
  compiled.set(provider, known.set(catalogue, parts));
  return { ...parts, ...verifySettings(options, parts, caller) };
}
