import { isApplicator, type JsonSchema, partsOf } from "../documents/json-schema.ts";
import { inside, type LocatedSchema, resolve } from "../derive/schema.ts";

/** True for one schema of one document: its references lead to the same schemas too. */
export const isSame = (one: LocatedSchema, other: LocatedSchema): boolean =>
  one.schema === other.schema && one.source === other.source;

/** True if two schemas are equal but for annotations and the names of what they refer to. */
export function isEqual(
  one: LocatedSchema,
  other: LocatedSchema,
  above: Map<JsonSchema, Set<JsonSchema>>,
): boolean {
  const [a, b] = [resolve(one), resolve(other)];
  const seen = above.get(a.schema) ?? new Set();
  if (isSame(a, b) || seen.has(b.schema)) return true;
  above.set(a.schema, seen.add(b.schema));
  const [own, others] = [a, b].map(({ schema }) =>
    JSON.stringify(
      Object.entries(schema)
        .filter(([keyword]) => !isApplicator(keyword) && !ANNOTATIONS.has(keyword))
        .toSorted(([x], [y]) => (x < y ? -1 : 1)),
    ),
  );
  const [mine, theirs] = [partsOf(a.schema), partsOf(b.schema)];
  if (own !== others || mine.length !== theirs.length) return false;
  const byPlace = new Map(theirs.map(([steps, part]) => [JSON.stringify(steps), part]));
  return mine.every(([steps, part]) => {
    const match = byPlace.get(JSON.stringify(steps));
    return match !== undefined && isEqual(inside(a, part), inside(b, match), above);
  });
}

const ANNOTATIONS = new Set(["title", "description", "deprecated", "examples", "discriminator"]);
