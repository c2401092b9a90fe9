/** The events that a subscribe or unsubscribe request names (S 2.5). `ALL` ignores `details`. */
export type SubscriptionDetails =
  | { readonly type: "ALL"; readonly details?: readonly string[] | undefined }
  | { readonly type: "CATEGORY" | "EVENT"; readonly details: readonly string[] };

/** A set of events, as rules: everything, categories and names. The lists are sorted and unique. */
export interface EventSet {
  readonly all: boolean;
  readonly categories: readonly string[];
  readonly events: readonly string[];
}

/**
 * The events that a subscription delivers: included minus excluded. The rules are stored as requested and never expanded
 * to names, so that `ALL` includes future events too. JSON.
 */
export interface Selection {
  readonly include: EventSet;
  readonly exclude: EventSet;
}

/** An event's type and category. The category is the catalogue's to say, never the name's. */
export interface CatalogueRow {
  readonly type: string;
  readonly category: string;
}

const NOTHING: EventSet = { all: false, categories: [], events: [] };

/** The selection of a new subscription (S 4.3). */
export function select(details: SubscriptionDetails): Selection {
  return { include: union(NOTHING, details), exclude: NOTHING };
}

/**
 * The selection after a partial unsubscribe (S 4.4). Idempotent; naming what is not included is no
 * mistake and takes effect like any other name.
 *
 * @returns `selection` itself where all of it is excluded already.
 */
export function exclude(selection: Selection, details: SubscriptionDetails): Selection {
  const excluded = union(selection.exclude, details);
  return sizeOf(excluded) === sizeOf(selection.exclude)
    ? selection
    : { ...selection, exclude: excluded };
}

/** True if an event is delivered (S 6.1, S 6.2). */
export function matches(selection: Selection, event: CatalogueRow): boolean {
  return holds(selection.include, event) && !holds(selection.exclude, event);
}

/**
 * True if nothing is left, so that the subscription ends: everything is excluded, or each included category is excluded
 * as a category and each included name by name or by its category. `ALL` counts as every category of the catalogue. Excluding every
 * event of a category by name does not close it, because the category may grow.
 *
 * @param catalogue Maps names to categories. A name that it lacks is excluded by name only.
 */
export function isClosed(selection: Selection, catalogue: readonly CatalogueRow[]): boolean {
  const { include, exclude: excluded } = selection;
  if (excluded.all) return true;
  const isCategoryOut = (category: string): boolean => excluded.categories.includes(category);
  const isEventOut = (type: string): boolean =>
    excluded.events.includes(type) ||
    catalogue.some((row) => row.type === type && isCategoryOut(row.category));
  return (
    (!include.all || catalogue.every(({ category }) => isCategoryOut(category))) &&
    include.categories.every(isCategoryOut) &&
    include.events.every(isEventOut)
  );
}

function holds(set: EventSet, { type, category }: CatalogueRow): boolean {
  return set.all || set.categories.includes(category) || set.events.includes(type);
}

function union(set: EventSet, named: SubscriptionDetails): EventSet {
  switch (named.type) {
    case "ALL":
      return { ...set, all: true };
    case "CATEGORY":
      return { ...set, categories: sortedUnique([...set.categories, ...named.details]) };
    case "EVENT":
      return { ...set, events: sortedUnique([...set.events, ...named.details]) };
    default:
      return named satisfies never;
  }
}

/** Sets only grow here, so that equal sizes are equal sets. */
const sizeOf = ({ all, categories, events }: EventSet): number =>
  Number(all) + categories.length + events.length;

function sortedUnique(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}
