import { type Catalogue, type CatalogueEntry, standardCatalogue } from "@countersign/schemas";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import { schemeOf, type SignatureScheme } from "@countersign/signatures/stated";
import { type EnvelopePointers, membersOf } from "./pipeline/envelope.ts";

/** The types of a catalogue's events by their names. */
export type EventTypes = Readonly<Record<string, { readonly category: string }>>;

/** Events of a provider without a catalogue: a handler gets unknown JSON. */
export type UntypedEvents = Readonly<
  Record<string, Readonly<Record<string, unknown>> & { readonly category: string }>
>;

/** Types are known if the profile is the standard one, or a catalogue brings them. */
export type TypedByCatalogue<Types> =
  | { readonly profile?: "standard" }
  | { readonly catalogue: Catalogue<Types> };

/** The part of a profile and its catalogue that verifies and reads an attempt. */
export interface ProfileParts {
  /** The name that is part of each event's key. */
  readonly provider: string;
  readonly scheme: SignatureScheme;
  readonly toleranceSeconds: number;
  readonly pointers: EnvelopePointers;
  /** A Map: a type named "constructor" must not be found in an object's prototype. */
  readonly catalogue: ReadonlyMap<string, CatalogueEntry<unknown>>;
}

/** Returns a built-in profile by its name, or the given document. */
export function profileOf(profile: string | Profile = "standard"): Profile {
  if (typeof profile === "object" && profile !== null) return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
  const names = Object.keys(profiles).map((name) => JSON.stringify(name));
  throw new TypeError(
    `unknown profile ${JSON.stringify(profile)}; expected ${names.join(", ")} or a profile document`,
  );
}

export function profileParts<Types>(
  profile: Profile,
  catalogue: Catalogue<Types> | undefined,
): ProfileParts {
  const { envelope, signature } = profile;
  return {
    provider: profile.name,
    scheme: schemeOf(signature),
    toleranceSeconds: signature.toleranceSeconds,
    pointers: {
      id: membersOf(envelope.id),
      type: membersOf(envelope.type),
      timestamp: membersOf(envelope.timestamp),
      data: membersOf(envelope.data),
    },
    catalogue: entriesOf(profile, catalogue),
  };
}

/**
 * The standard catalogue fits only the standard profile; another profile without a catalogue has the
 * names and categories of its events, and no schema to validate them.
 */
function entriesOf<Types>(
  profile: Profile,
  catalogue: Catalogue<Types> | undefined,
): ProfileParts["catalogue"] {
  if (catalogue !== undefined) return new Map(Object.entries(catalogue.events));
  if (profile.name === profiles.standard.name)
    return new Map(Object.entries(standardCatalogue.events));
  const validate = (value: unknown) => ({ ok: true, value }) as const;
  return new Map(
    profile.catalogue.map(({ type, category, resource, rank }) => [
      type,
      { category, resource, amounts: [], validate, ...(rank !== undefined && { rank }) },
    ]),
  );
}
