import type { Validator } from "./validation.ts";

/** A receiver's facts about one event type. */
export interface CatalogueEntry<Event> {
  /** Default: as the provider's document says. */
  readonly category?: string;
  /** The reader's validator: accepts unknown members, and other values of open enums. */
  readonly validate: Validator<Event>;
  /** JSON Pointers of the event's amounts, which are validated on their source text. */
  readonly amounts: readonly string[];
  /** JSON Pointer of the id of the resource that the event is about. Absent if events of the type are not ordered. */
  readonly resource?: string;
  /** Progress of the resource's states; a higher rank is newer. Absent if the type has no states. */
  readonly rank?: number;
}

/** A provider's events. `Types` maps the names of types to their events. */
export interface Catalogue<Types> {
  readonly name: string;
  readonly events: { readonly [Type in keyof Types & string]: CatalogueEntry<Types[Type]> };
}
