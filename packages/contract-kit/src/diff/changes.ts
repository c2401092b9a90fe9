import { typesOf } from "../derive/faults.ts";
import {
  escapePointer,
  inside,
  isUnion,
  itemsOf,
  kindsOf,
  membersOf,
  placeOf,
  resolve,
  type LocatedSchema,
} from "../derive/schema.ts";
import { keywordChanges, type RawChange, type Tell } from "./keyword-changes.ts";
import type { RuleId } from "./rules.ts";

/**
 * The changes between two schemas and all that they refer to.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`: unsupported schemas cannot be compared.
 */
export function changesBetween(old: LocatedSchema, now: LocatedSchema): readonly RawChange[] {
  const [before, after] = [resolve(old), resolve(now)];
  const change = (rule: RuleId, message: string): RawChange => ({
    rule,
    place: placeOf(after),
    message,
  });
  // A member is deprecated at its own place, next to its reference.
  const [was, is] = [
    [old, before],
    [now, after],
  ].map((both) => both.some(({ schema }) => schema.deprecated === true));
  const changes = structural(before, after, change);
  if (was === true || is !== true) return changes;
  return [{ rule: "deprecated", place: placeOf(now), message: "deprecated" }, ...changes];
}

function structural(before: LocatedSchema, after: LocatedSchema, tell: Tell): readonly RawChange[] {
  const areUnions = [before, after].map(({ schema }) => isUnion(schema));
  if (areUnions[0] !== areUnions[1]) {
    const [was, is] = areUnions.map((one) => (one ? "a union" : "one form"));
    return [tell("type-changed", `${was ?? ""} is ${is ?? ""} now`)];
  }
  if (areUnions[0] === true) return unionChanges(before, after, tell);
  const keywords = keywordChanges(before, after, tell);
  // If the type changed, nothing else can be compared.
  if (keywords.some(({ rule }) => rule === "type-changed")) return keywords;
  return [...keywords, ...memberChanges(before, after, tell), ...itemChanges(before, after)];
}

function memberChanges(
  before: LocatedSchema,
  after: LocatedSchema,
  tell: Tell,
): readonly RawChange[] {
  const [old, now] = [new Map(membersOf(before)), new Map(membersOf(after))];
  const [wasRequired, isRequired] = [before, after].map(({ schema }) => new Set(schema.required));
  const at = (located: LocatedSchema, name: string): string =>
    placeOf(inside(located, {}, `properties/${escapePointer(name)}`));
  const added = [...now.keys()].filter((name) => !old.has(name));
  const gone = [...old.keys()].filter((name) => !now.has(name));
  const kept = [...now.entries()].flatMap(([name, member]) => {
    const earlier = old.get(name);
    return earlier === undefined ? [] : [{ name, member, earlier }];
  });
  const [wasOpen, isOpen] = [before, after].map(
    ({ schema }) => schema.additionalProperties !== false,
  );
  const isObject = typesOf(after.schema).includes("object");
  return [
    ...added.map((name): RawChange => {
      const optional = wasOpen === true ? "member-described" : "member-added-optional";
      const rule = isRequired?.has(name) ? "member-added-required" : optional;
      return { rule, place: at(after, name), message: name };
    }),
    ...gone.map((name): RawChange => {
      const rule = wasRequired?.has(name) ? "member-removed-required" : "member-removed-optional";
      return { rule, place: at(before, name), message: name };
    }),
    ...kept.flatMap(({ name }): RawChange[] => {
      const [was, is] = [wasRequired?.has(name), isRequired?.has(name)];
      if (was === is) return [];
      const rule = is ? "member-became-required" : "member-became-optional";
      return [{ rule, place: at(after, name), message: name }];
    }),
    ...(isObject && wasOpen && !isOpen ? [tell("object-closed", "additionalProperties")] : []),
    ...(isObject && !wasOpen && isOpen ? [tell("object-opened", "additionalProperties")] : []),
    ...kept.flatMap(({ member, earlier }) => changesBetween(earlier, member)),
  ];
}

function itemChanges(before: LocatedSchema, after: LocatedSchema): readonly RawChange[] {
  const [old, now] = [itemsOf(before), itemsOf(after)];
  return old === undefined || now === undefined ? [] : changesBetween(old, now);
}

function unionChanges(
  before: LocatedSchema,
  after: LocatedSchema,
  tell: Tell,
): readonly RawChange[] {
  const tags = [before, after].map(({ schema }) => schema.discriminator?.propertyName);
  if (tags[0] !== tags[1])
    return [tell("tag-changed", `${tags[0] ?? "none"} → ${tags[1] ?? "none"}`)];
  const [old, now] = [before, after].map((union) => kindsByName(union, tags[0]));
  const added = [...(now ?? [])].filter(([name]) => !old?.has(name));
  const gone = [...(old ?? [])].filter(([name]) => !now?.has(name));
  return [
    ...added.map(([name, kind]): RawChange => ({
      rule: "kind-added",
      place: placeOf(kind),
      message: name,
    })),
    ...gone.map(([name, kind]): RawChange => ({
      rule: "kind-removed",
      place: placeOf(kind),
      message: name,
    })),
    ...[...(now ?? [])].flatMap(([name, kind]) => {
      const earlier = old?.get(name);
      return earlier === undefined ? [] : changesBetween(earlier, kind);
    }),
  ];
}

/** Kinds by their tag's const, else by their title or what they refer to: their order means nothing. */
function kindsByName(union: LocatedSchema, tag: string | undefined): Map<string, LocatedSchema> {
  return new Map(
    kindsOf(union).map((kind, index) => {
      const { schema } = resolve(kind);
      const value = schema.properties?.[tag ?? ""]?.const;
      const name = typeof value === "string" ? value : (kind.schema.$ref ?? schema.title);
      return [name ?? String(index), kind];
    }),
  );
}
