import type { Catalogue, EventTypeMap } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import type { HeadersLike, Secret, SignatureErrorCode } from "@countersign/signatures/stated";
import { readEnvelope, type UnknownEvent, validate } from "./pipeline/envelope.ts";
import {
  isOutcome,
  type Rejected,
  type RejectionDetail,
  type RejectionFacts,
} from "./pipeline/outcome.ts";
import {
  type EventTypes,
  profileOf,
  type ProfileParts,
  profileParts,
  type TypedByCatalogue,
  type UntypedEvents,
} from "./profile.ts";

/** The default of `createReceiver`. */
const limits = { depth: 16 };

export interface VerifyEventOptions<Types> {
  /** Active secrets, 1 to 4; all are tried. `undefined` is a `TypeError`: an environment variable is not set. */
  readonly secrets: readonly (Secret | undefined)[];
  /** A built-in name or a document. Default `'standard'`. */
  readonly profile?: "standard" | "x-signature" | Profile;
  /** Another provider's events. Default: those of the profile, validated and typed for the standard one. */
  readonly catalogue?: Catalogue<Types>;
  /** The wall clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: number | (() => number);
}

/** The reason for which `verifyEvent` refuses an attempt. */
export type VerifyEventCode =
  | SignatureErrorCode
  | "CS_BODY_NOT_JSON"
  | "CS_EVENT_ENVELOPE"
  | "CS_EVENT_ID_MISMATCH"
  | "CS_EVENT_SCHEMA";

/** The result of `verifyEvent`. */
export type VerifiedEvent<Types> =
  | {
      readonly ok: true;
      /** The catalogue has the event's type, and the event fits its schema. */
      readonly known: true;
      readonly event: Types[keyof Types];
      /** Index of the secret that matched. */
      readonly secretIndex: number;
    }
  | {
      readonly ok: true;
      /** Senders add types without notice; nothing is known about the data. */
      readonly known: false;
      readonly event: UnknownEvent;
      readonly secretIndex: number;
    }
  | {
      readonly ok: false;
      readonly code: VerifyEventCode;
      /** For your log: the sender must not see them. */
      readonly facts: RejectionFacts & { readonly details?: readonly RejectionDetail[] };
    };

/**
 * Verifies, parses, validates and types one webhook, without an inbox, a router or an answer: recognising duplicates
 * by `event.id` is up to you. Never throws for what a stranger sends.
 *
 * @param attempt `body` is the raw bytes; a body that was parsed and printed again does not verify.
 * @throws {TypeError} A secret, the profile, the clock or the kind of the body is unusable: a mistake of the caller.
 */
export function verifyEvent<Types extends EventTypes = EventTypeMap>(
  attempt: { readonly headers: HeadersLike; readonly body: Uint8Array },
  options: VerifyEventOptions<Types> & TypedByCatalogue<Types>,
): VerifiedEvent<Types>;
/** With another profile and no catalogue for it: events by name, their bodies as they arrive. */
export function verifyEvent(
  attempt: { readonly headers: HeadersLike; readonly body: Uint8Array },
  options: VerifyEventOptions<UntypedEvents>,
): VerifiedEvent<UntypedEvents>;
export function verifyEvent<Types extends EventTypes>(
  attempt: { readonly headers: HeadersLike; readonly body: Uint8Array },
  { secrets, profile, catalogue, now = Date.now }: VerifyEventOptions<Types>,
): VerifiedEvent<Types> {
  const parts = partsOf(profileOf(profile), catalogue);
  const { scheme, toleranceSeconds, pointers } = parts;
  // The scheme refuses what is not a secret, `undefined` included.
  const verification = scheme.verify(attempt, secrets as readonly Secret[], {
    now: typeof now === "function" ? now() : now,
    toleranceSeconds,
  });
  if (!verification.ok) return { ok: false, code: verification.code, facts: verification.facts };

  const { id, secretIndex } = verification;
  const envelope = readEnvelope(
    attempt.body,
    { provider: parts.provider, tenant: "", id },
    { pointers, limits },
  );
  if (isOutcome(envelope)) return refused(envelope);
  const invalid = validate(envelope, parts.catalogue);
  if (invalid !== undefined) return refused(invalid);

  if (!parts.catalogue.has(envelope.event.type))
    return { ok: true, known: false, event: envelope.event, secretIndex };
  // The catalogue's validator has just accepted it.
  return { ok: true, known: true, event: envelope.body as Types[keyof Types], secretIndex };
}

function refused({ code, facts = {}, details }: Rejected): VerifiedEvent<never> {
  return {
    ok: false,
    // `readEnvelope` and `validate` refuse with these codes only.
    code: code as VerifyEventCode,
    facts: { ...facts, ...(details && { details }) },
  };
}

/** A scheme keeps imported keys, which cost more than the rest of a call. */
const known = new WeakMap<Profile, Map<unknown, ProfileParts>>();

function partsOf<Types>(profile: Profile, catalogue: Catalogue<Types> | undefined): ProfileParts {
  const ofProfile = known.get(profile) ?? new Map<unknown, ProfileParts>();
  const parts = ofProfile.get(catalogue) ?? profileParts(profile, catalogue);
  known.set(profile, ofProfile.set(catalogue, parts));
  return parts;
}
