import type { Catalogue, CatalogueEntry, Validation } from "@countersign/schemas";
import { standardCatalogue } from "@countersign/schemas";
import { type Profile, profiles } from "@countersign/schemas/profiles";
import type { EventTypes } from "./options.ts";

/**
 * What is known of each type. The standard catalogue fits the standard profile alone; another
 * profile without a catalogue has its events' names and categories, and no schema to judge them by.
 */
export function entriesOf<Types extends EventTypes>(
  catalogue: Catalogue<Types> | undefined,
  profile: Profile,
): ReadonlyMap<string, CatalogueEntry<unknown>> {
  if (catalogue !== undefined) return new Map(Object.entries(catalogue.events));
  if (profile.name === profiles.standard.name)
    return new Map(Object.entries(standardCatalogue.events));
  const passes = (value: unknown): Validation<unknown> => ({ ok: true, value });
  return new Map(
    profile.catalogue.map(({ type, category, resource, rank }) => [
      type,
      {
        category,
        resource,
        amounts: [],
        validate: passes,
        ...(rank === undefined ? {} : { rank }),
      },
    ]),
  );
}
