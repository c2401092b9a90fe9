import {
  isApplicator,
  type JsonSchema,
  nameOf,
  partsOf,
  typesOf,
} from "../documents/json-schema.ts";
import { inside, kindsOf, type LocatedSchema, resolve } from "../derive/schema.ts";

type Named = readonly [name: string, kind: LocatedSchema];

interface Kinds {
  readonly isNullable: boolean;
  readonly kinds: readonly Named[];
}

/** The kinds of a union, or the schema itself without kinds; null is a type and not a kind. */
export function kindsWithoutNull(union: LocatedSchema): Kinds {
  const all = kindsOf(union);
  const kinds = all.length > 0 ? all : [union];
  const isNull = (kind: LocatedSchema): boolean => resolve(kind).schema.type === "null";
  const others = kinds.filter((kind) => !isNull(kind)).map(withoutNull);
  const own = others.map(({ kind }) => kind);
  return {
    isNullable: kinds.some(isNull) || others.some(({ isNullable }) => isNullable),
    kinds: named(own, union.schema.discriminator?.propertyName ?? tagOf(own)),
  };
}

/** A kind whose type lists null. */
function withoutNull(kind: LocatedSchema): { kind: LocatedSchema; isNullable: boolean } {
  const at = resolve(kind);
  const types = typesOf(at.schema);
  const others = types.filter((type) => type !== "null");
  if (others.length === types.length || others.length === 0) return { kind, isNullable: false };
  return { kind: { ...at, schema: { ...at.schema, type: others } }, isNullable: true };
}

/** A member with a constant in each kind. */
function tagOf(kinds: readonly LocatedSchema[]): string | undefined {
  const [first, ...others] = kinds.map((kind) => resolve(kind).schema.properties ?? {});
  return Object.keys(first ?? {}).find((name) =>
    [first, ...others].every((properties) => typeof properties?.[name]?.const === "string"),
  );
}

/** Kinds by their tag's value, else by what they refer to, their title or their type. */
function named(kinds: readonly LocatedSchema[], tag: string | undefined): readonly Named[] {
  const counts = new Map<string, number>();
  return kinds.map((kind) => {
    const { schema } = resolve(kind);
    const { const: only, enum: values = [only] } = schema.properties?.[tag ?? ""] ?? {};
    const { $ref: reference } = kind.schema;
    const type = typesOf(schema).join(" or ");
    const own = values[0] === undefined ? undefined : values.join(" or ");
    const name = own ?? (reference && nameOf(reference)) ?? schema.title ?? (type || "any");
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [count === 1 ? name : `${name} (${count})`, kind];
  });
}

/** Kinds of one name belong together, then equal ones, then the last of both. */
export function kindPairs(
  old: readonly Named[],
  now: readonly Named[],
): {
  readonly pairs: readonly (readonly [LocatedSchema, LocatedSchema])[];
  readonly removed: readonly Named[];
  readonly added: readonly Named[];
} {
  const pairs: (readonly [LocatedSchema, LocatedSchema])[] = [];
  const added = new Map(now);
  /** True if the new kind of a name is the old kind now. */
  const isTaken = (kind: LocatedSchema, name = ""): boolean => {
    const found = added.get(name);
    if (found !== undefined) pairs.push([kind, found]);
    return added.delete(name);
  };
  const removed = old
    .filter(([name, kind]) => !isTaken(kind, name))
    .filter(([, kind]) => {
      const equal = [...added].find(([, one]) => isEqual(kind, one, new Map()));
      return equal === undefined || !isTaken(kind, equal[0]);
    });
  const [last, ...more] = removed;
  const isRenamed = last !== undefined && more.length === 0 && added.size === 1;
  if (isRenamed && isTaken(last[1], [...added.keys()][0])) return { pairs, removed: [], added: [] };
  return { pairs, removed, added: [...added] };
}

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
