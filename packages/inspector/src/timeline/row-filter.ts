import type { Filter } from "./filter-bar.tsx";
import type { Row } from "./timeline-store.ts";

/** Whether a row passes; `undefined` where every row does. */
export function rowFilter({
  categories,
  type,
  search,
}: Filter): ((row: Row) => boolean) | undefined {
  const words = search.trim().toLowerCase();
  if (categories.length === 0 && type === "" && words === "") return undefined;
  return (row) =>
    (categories.length === 0 || categories.includes(row.category)) &&
    (type === "" || row.type === type) &&
    (words === "" || row.text.includes(words));
}
