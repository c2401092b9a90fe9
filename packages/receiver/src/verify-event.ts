import type { ProviderDocument } from "@countersign/schemas/providers";
import type { Secret, SignatureErrorCode } from "@countersign/signatures";
import { verifySettings } from "./check-options.ts";
import { MistakeError, withCode } from "./mistake.ts";
import type { ReceiverOptions } from "./options.ts";
import type { Attempt } from "./pipeline/body.ts";
import { type EventFacts, type UnknownEvent, validate } from "./pipeline/event.ts";
import type { Rejected, RejectionDetail, RejectionFacts } from "./pipeline/outcome.ts";
import type { ProviderParts } from "./pipeline/parts.ts";
import { readEvents, Reading } from "./pipeline/read-events.ts";
import { formatOf } from "./pipeline/headers.ts";
import { signedUrl } from "./pipeline/verify.ts";
import { depthOf, providerParts, type UntypedEvents } from "./provider.ts";

/** Options of `createReceiver`, of which `secrets` is a list here. */
export interface VerifyEventOptions<Types> extends Pick<
  ReceiverOptions<Types>,
  "provider" | "catalogue" | "validate" | "url" | "claims"
> {
  /** Active secrets, 1 to 4; all are tried. `undefined` is a `TypeError`: an environment variable is not set. */
  readonly secrets?: readonly (Secret | undefined)[];
  /** The key that the attempt names, as PEM or JWK text, for providers that sign with one. */
  readonly key?: string;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: number | (() => number);
}

/** A request as it arrived; a body that was parsed and printed again does not verify. */
export interface EventRequest extends Pick<Attempt, "headers" | "method" | "url"> {
  readonly body: Uint8Array;
}

/** The reason for which `verifyEvent` refuses an attempt. */
export type VerifyEventCode =
  | SignatureErrorCode
  | "CS_BODY_NOT_JSON"
  | "CS_EVENT_ENVELOPE"
  | "CS_EVENT_SCHEMA";

/** The result of `verifyEvent`. */
export type VerifiedEvent<Types> =
  | ({
      readonly ok: true;
      /** Index of the secret that matched. */
      readonly secretIndex: number;
      /** The event's id, category and time, and what of it the signature proves. */
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
    ))
  | {
      readonly ok: false;
      readonly code: VerifyEventCode;
      /** For your log: the sender must not see them. */
      readonly facts: RejectionFacts & { readonly details?: readonly RejectionDetail[] };
    };

/**
 * Verifies, parses, validates and types one webhook, without an inbox, a router or an answer: recognising duplicates
 * by `facts.id` is up to you. Never throws for what a stranger sends.
 *
 * @throws {MistakeError} `CS_PROVIDER_INVALID`, `CS_SECRET_INVALID`; `CS_OPTION_INVALID`: the clock, the key or the kind of
 *   the body; `CS_OPTION_CONFLICT`: the provider sends several events at once, which a receiver takes.
 */
export function verifyEvent<Types = UntypedEvents>(
  { headers, body, method = "POST", url }: EventRequest,
  options: VerifyEventOptions<Types>,
): VerifiedEvent<Types> {
  const { key, claims, now = Date.now } = options;
  // The scheme refuses what is not a secret, `undefined` included.
  const secrets = (options.secrets ?? []) as readonly Secret[];
  const parts = partsOf(options);
  const { provider, scheme, media, catalogue } = parts;
  const { publicUrl, refuses } = verifySettings(options, parts, caller);
  if (parts.batch !== undefined)
    throw new MistakeError(
      `${caller}: ${provider.title} sends batches: use createReceiver`,
      "CS_OPTION_CONFLICT",
    );
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
  const { secretIndex } = verification;

  const read = readEvents(reading, "", parts);
  if ("kind" in read) return refused(read);
  const [one] = read;
  // Only a batch can be empty.
  if (one === undefined) throw new TypeError("verifyEvent: no event");
  const faults = validate(one, { catalogue, refuses });
  if (faults !== undefined && "kind" in faults) return refused(faults);
  const { identity, facts, body: event, data } = one;
  const genuine = {
    ok: true,
    secretIndex,
    facts,
    ...(faults && { schemaErrors: faults }),
  } as const;
  return catalogue.size === 0 || catalogue.has(identity.type)
    ? // The catalogue's validator has just accepted it, or the types are the user's own.
      { ...genuine, known: true, event: event as Types[keyof Types] }
    : { ...genuine, known: false, event: { ...facts, data } };
}

const caller = "verifyEvent";

function refused({ code, facts = {}, details }: Rejected): VerifiedEvent<never> & { ok: false } {
  return {
    ok: false,
    // `readEvents` and `validate` refuse with these codes only.
    code: code as VerifyEventCode,
    facts: { ...facts, ...(details && { details }) },
  };
}

/** Compiled documents. A scheme also keeps imported keys, which cost more than the rest of a call. */
const compiled = new WeakMap<ProviderDocument, Map<unknown, ProviderParts>>();

function partsOf({ provider, catalogue }: VerifyEventOptions<unknown>): ProviderParts {
  const known = compiled.get(provider) ?? new Map<unknown, ProviderParts>();
  const parts = known.get(catalogue) ?? providerParts(provider, catalogue, caller);
  compiled.set(provider, known.set(catalogue, parts));
  return parts;
}
