import type { CatalogueRow, SubscriptionDetails } from "@countersign/rules";

/** Which of the named events the catalogue does not have, by their place in `details` (S 2.5). */
export function unknownEvents(
  { type, details = [] }: SubscriptionDetails,
  catalogue: readonly CatalogueRow[],
): number[] {
  if (type !== "EVENT") return [];
  return details.flatMap((name, place) =>
    catalogue.some((row) => row.type === name) ? [] : place,
  );
}
