import type { ProviderDocument } from "@countersign/schemas/providers";
import type { SignatureErrorCode } from "@countersign/signatures";
import { MistakeError, withCode } from "./mistake.ts";
import type { GivenSecret, ReceiverOptions } from "./options.ts";
import type { Attempt } from "./pipeline/body.ts";
import { labelled } from "./pipeline/credentials.ts";
import { type EventFacts, type UnknownEvent, validate } from "./pipeline/event.ts";
import type { Rejected, RejectionDetail, RejectionFacts, Signer } from "./pipeline/outcome.ts";
import type { ProviderParts } from "./pipeline/parts.ts";
import { readEvents, Reading } from "./pipeline/read-events.ts";
import { formatOf } from "./pipeline/headers.ts";
import { signedUrl, signerOf } from "./pipeline/verify.ts";
import { depthOf, providerParts, type UntypedEvents } from "./provider.ts";
import { verifySettings } from "./provider-options.ts";

/** Options of `createReceiver`, of which `secrets` is a list here. */
export interface VerifyEventOptions<Types> extends Pick<
  ReceiverOptions<Types>,
  "provider" | "catalogue" | "validate" | "url" | "claims"
> {
  /** Active secrets, 1 to 4; all are tried. `undefined` is a `TypeError`: an environment variable is not set. */
  readonly secrets?: readonly (GivenSecret | undefined)[];
  /** The key that the attempt names, as PEM or JWK text, for providers that sign with one: `keyPlace` of `schemeOf(provider)` returns the name. */
  readonly key?: string;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: number | (() => number);
}

/** A request as it arrived; a body that was parsed and printed again does not verify. */
export interface EventRequest extends Pick<Attempt, "headers" | "method" | "url"> {
  readonly body: Uint8Array;
}

/** The reason for which an attempt is refused. */
export type VerifyEventCode =
  | SignatureErrorCode
  | "CS_BODY_NOT_JSON"
  | "CS_EVENT_ENVELOPE"
  | "CS_EVENT_SCHEMA";

/** An authentic event. */
export type GenuineEvent<Types> = {
  /** The event's id, category, time and mode, and what of it the signature proves. */
  readonly facts: EventFacts;
  /** Faults of a body that does not fit its schema, unless it is refused. */
  readonly schemaErrors?: readonly RejectionDetail[];
} & (
  | {
      /** Without a catalogue, or if it has the event's type. */
      readonly known: true;
      readonly event: Types[keyof Types];
    }
  | {
      /** Senders add types without notice; nothing is known about the data. */
      readonly known: false;
      readonly event: UnknownEvent;
    }
);

interface GenuineAttempt extends Signer {
  readonly ok: true;
}

interface RefusedAttempt {
  readonly ok: false;
  readonly code: VerifyEventCode;
  /** For your log: the sender must not see them. */
  readonly facts: RejectionFacts & { readonly details?: readonly RejectionDetail[] };
}

/** The result of `verifyEvent`. */
export type VerifiedEvent<Types> = (GenuineAttempt & GenuineEvent<Types>) | RefusedAttempt;

/** The result of `verifyEvents`. */
export type VerifiedEvents<Types> =
  | (GenuineAttempt & { readonly events: readonly GenuineEvent<Types>[] })
  | RefusedAttempt;

/**
 * Verifies, parses, validates and types one webhook, without an inbox, a router or an answer: recognising duplicates
 * by `facts.id` is up to you. Never throws for what a stranger sends.
 *
 * @throws {MistakeError} `CS_PROVIDER_INVALID`, `CS_SECRET_INVALID`; `CS_OPTION_INVALID`: the clock, the key or the kind of
 *   the body; `CS_OPTION_CONFLICT`: the provider sends several events at once, which `verifyEvents` returns.
 */
export function verifyEvent<Types = UntypedEvents>(
  request: EventRequest,
  options: VerifyEventOptions<Types>,
): VerifiedEvent<Types> {
  const parts = partsOf(options, "verifyEvent");
  if (parts.batch !== undefined)
    throw new MistakeError(
      `verifyEvent: ${parts.provider.title} sends batches: use verifyEvents`,
      "CS_OPTION_CONFLICT",
    );
  const verified = verifyAll<Types>(request, options, parts, "verifyEvent");
  if (!verified.ok) return verified;
  const {
    events: [event],
    ...attempt
  } = verified;
  // Only a batch can be empty.
  if (event === undefined) throw new TypeError("verifyEvent: no event");
  return { ...attempt, ...event };
}

/**
 * Does what `verifyEvent` does, for every provider: returns all events of a batch, or the one event of another provider.
 * One event that is refused refuses the attempt.
 *
 * @throws {MistakeError} `CS_PROVIDER_INVALID`, `CS_SECRET_INVALID`; `CS_OPTION_INVALID`: the clock, the key or the kind of
 *   the body.
 */
export const verifyEvents = <Types = UntypedEvents>(
  request: EventRequest,
  options: VerifyEventOptions<Types>,
): VerifiedEvents<Types> =>
  verifyAll(request, options, partsOf(options, "verifyEvents"), "verifyEvents");

function verifyAll<Types>(
  { headers, body, method = "POST", url }: EventRequest,
  options: VerifyEventOptions<Types>,
  parts: ProviderParts,
  caller: string,
): VerifiedEvents<Types> {
  const { key, claims, now = Date.now } = options;
  const { provider, scheme, media, catalogue } = parts;
  const { secrets, labels } = labelled(options.secrets ?? [], caller, provider);
  const { publicUrl, refuses } = verifySettings(options, parts, caller);
  withCode({ code: "CS_SECRET_INVALID", caller }, () => scheme.check(secrets, "verify"));
  const places = { headers, body, url: signedUrl(url, { publicUrl }) };
  const reading = new Reading(places, {
    format: formatOf(headers, media),
    depth: depthOf(provider),
  });
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
    const faults = validate(one, { catalogue, refuses });
    if (faults !== undefined && "kind" in faults) return refused(faults);
    const { identity, facts, body: event, data } = one;
    const about = { facts, ...(faults && { schemaErrors: faults }) };
    events.push(
      catalogue.size === 0 || catalogue.has(identity.type)
        ? // The catalogue's validator has just accepted it, or the types are the user's own.
          { ...about, known: true, event: event as Types[keyof Types] }
        : { ...about, known: false, event: { ...facts, data } },
    );
  }
  return { ok: true, ...signerOf(verification.secretIndex, labels), events };
}

function refused({ code, facts = {}, details }: Rejected): RefusedAttempt {
  return {
    ok: false,
    // `readEvents` and `validate` refuse with these codes only.
    code: code as VerifyEventCode,
    facts: { ...facts, ...(details && { details }) },
  };
}

/** Compiled documents. A scheme also keeps imported keys, which cost more than the rest of a call. */
const compiled = new WeakMap<ProviderDocument, Map<unknown, ProviderParts>>();

function partsOf(
  { provider, catalogue }: VerifyEventOptions<unknown>,
  caller: string,
): ProviderParts {
  const known = compiled.get(provider) ?? new Map<unknown, ProviderParts>();
  const parts = known.get(catalogue) ?? providerParts(provider, catalogue, caller);
  compiled.set(provider, known.set(catalogue, parts));
  return parts;
}
