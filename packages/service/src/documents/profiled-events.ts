import type { Profile } from "@countersign/schemas/profiles";
import { payloads } from "./event-schemas.ts";
import { schemas as standard } from "./generated/schemas.ts";
import { profiledSchemas } from "./profiled-schemas.ts";
import type { Schema, Schemas } from "./schema.ts";

/** A row of a profile's catalogue with the schemas of what it sends, one or, where its data has kinds, several. */
export interface ProfiledEvent {
  readonly row: Profile["catalogue"][number];
  readonly payloads: readonly Schema[];
}

/** The events that a profile's service sends, in the profile's order, and the schemas that they refer to. */
export function profiledEvents(profile: Profile): {
  readonly events: readonly ProfiledEvent[];
  /** By their titles; a reference to one is `#/components/schemas/TITLE`. */
  readonly schemas: Schemas;
} {
  const schemas = profiledSchemas(profile, standard);
  const events = profile.catalogue.map((row) => ({
    row,
    payloads: payloads(profile, row, schemas),
  }));
  return { events, schemas };
}
