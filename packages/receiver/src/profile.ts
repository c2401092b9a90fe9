import { type Catalogue, type CatalogueEntry, standardCatalogue } from "@countersign/schemas";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import type { EventTypes } from "./options.ts";
import { type EnvelopePointers, membersOf } from "./pipeline/envelope.ts";

/** Returns a built-in profile by its name, or the given document. */
export function profileOf(profile: string | Profile = "standard"): Profile {
  if (typeof profile === "object" && profile !== null) return profile;
  if (Object.hasOwn(profiles, profile)) return profiles[profile as keyof typeof profiles];
  const names = Object.keys(profiles).map((name) => JSON.stringify(name));
  throw new TypeError(
    `createReceiver: unknown profile ${JSON.stringify(profile)}; expected ${names.join(", ")} or a profile document`,
  );
}

/** Returns the pointers to the envelope's members. */
export function envelopeOf({ envelope }: Profile): EnvelopePointers {
  return {
    id: membersOf(envelope.id),
    type: membersOf(envelope.type),
    timestamp: membersOf(envelope.timestamp),
    data: membersOf(envelope.data),
  };
}

/**
 * Returns the known types. The standard catalogue fits only the standard profile; another profile
 * without a catalogue has the names and categories of its events, and no schema to validate them.
 */
export function entriesOf<Types extends EventTypes>(
  catalogue: Catalogue<Types> | undefined,
  profile: Profile,
): ReadonlyMap<string, CatalogueEntry<unknown>> {
  if (catalogue !== undefined) return new Map(Object.entries(catalogue.events));
  if (profile.name === profiles.standard.name)
    return new Map(Object.entries(standardCatalogue.events));
  return new Map(
    profile.catalogue.map(({ type, category, resource, rank }) => [
      type,
      {
        category,
        resource,
        amounts: [],
        validate: (value: unknown) => ({ ok: true, value }) as const,
        ...(rank === undefined ? {} : { rank }),
      },
    ]),
  );
}
