import { type JsonSchema, type TypeName, typesOf } from "../documents/json-schema.ts";
import { inside, itemsOf, type LocatedSchema, membersOf, resolve } from "../derive/schema.ts";
import { formChanges } from "./forms.ts";
import { isEqual, isSame } from "./equal-schemas.ts";
import type { RawChange, Report, RuleId } from "./rules.ts";
import { kindPairs, kindsWithoutNull } from "./unions.ts";

export interface CompareOptions {
  /** True compares each list of values as one that readers take as open. */
  readonly openEnums: boolean;
}

/** Compares schemas; a pair of schemas that is reached again is not compared again. */
export class Comparison {
  readonly #options: CompareOptions;
  readonly #compared = new Map<JsonSchema, Set<JsonSchema>>();

  constructor(options: CompareOptions) {
    this.#options = options;
  }

  /** The changes between two schemas and all that they refer to. */
  changes(old: LocatedSchema, now: LocatedSchema): readonly RawChange[] {
    const [before, after] = [resolve(old), resolve(now)];
    // A member is deprecated at its own place, next to its reference.
    const [was, is] = [
      [old, before],
      [now, after],
    ].map((both) => both.some(({ schema }) => schema.deprecated === true));
    const deprecated: RawChange = { rule: "deprecated", place: now.place, message: "deprecated" };
    const own = is === true && was !== true ? [deprecated] : [];
    const others = this.#compared.get(before.schema) ?? new Set();
    if (isSame(before, after) || others.has(after.schema)) return own;
    this.#compared.set(before.schema, others.add(after.schema));
    return [...own, ...this.#structural(before, after)];
  }

  #structural(before: LocatedSchema, after: LocatedSchema): readonly RawChange[] {
    const report: Report = (rule, message) => ({ rule, place: after.place, message });
    const [wasUnion, isUnion] = [before, after].map(({ schema }) => hasKinds(schema));
    // A schema without kinds is compared with the kinds of a union, unless members are next to the union.
    const isMixed = wasUnion !== isUnion && [before, after].some(isMixedUnion);
    if (isMixed) {
      const rule = isUnion === true ? "union-added" : "union-removed";
      return [report(rule, "oneOf or anyOf"), ...this.#own(before, after, report)];
    }
    if (wasUnion === true || isUnion === true) {
      const kinds = this.#unions(before, after, report);
      if (wasUnion !== isUnion) return kinds;
      const types = typeChanges(before, after, report);
      return [...kinds, ...types, ...this.#own(before, after, report)];
    }
    const types = typeChanges(before, after, report);
    // If the type changed, nothing else can be compared.
    if (types.some(({ rule }) => rule === "type-changed")) return types;
    return [...types, ...this.#own(before, after, report)];
  }

  /** The changes of all keywords but the type and the kinds. */
  #own(before: LocatedSchema, after: LocatedSchema, report: Report): readonly RawChange[] {
    const { schema: old } = before;
    const { schema: now } = after;
    return [
      ...this.#values(old, now, report),
      ...boundChanges(old, now, report),
      ...formChanges(old, now, report),
      ...this.#members(before, after, report),
      ...this.#items(before, after),
      ...otherChanges(before, after, report),
    ];
  }

  #unions(before: LocatedSchema, after: LocatedSchema, report: Report): readonly RawChange[] {
    const tags = [before, after].map(({ schema }) => schema.discriminator?.propertyName);
    if (tags[0] !== undefined && tags[1] !== undefined && tags[0] !== tags[1])
      return [report("tag-changed", `${tags[0]} → ${tags[1]}`)];
    const [old, now] = [kindsWithoutNull(before), kindsWithoutNull(after)];
    const nulls = [old, now].map(({ isNullable }) => (isNullable ? "or null" : "never null"));
    const nullable: readonly RawChange[] =
      old.isNullable === now.isNullable
        ? []
        : [report(now.isNullable ? "type-widened" : "type-narrowed", nulls.join(" → "))];
    const { pairs, removed, added } = kindPairs(old.kinds, now.kinds);
    return [
      ...nullable,
      ...pairs.flatMap(([one, other]) => this.changes(one, other)),
      ...added.map(
        ([name, kind]) => ({ rule: "kind-added", place: kind.place, message: name }) as const,
      ),
      ...removed.map(
        ([name, kind]) => ({ rule: "kind-removed", place: kind.place, message: name }) as const,
      ),
    ];
  }

  #values(before: JsonSchema, after: JsonSchema, report: Report): readonly RawChange[] {
    const [old, now] = [valuesOf(before), valuesOf(after)];
    const text = (values: readonly string[]): string => values.join(", ");
    if (old === undefined) return now === undefined ? [] : [report("values-listed", text(now))];
    if (now === undefined) return [report("values-unlisted", text(old))];
    const added = now.filter((one) => !old.includes(one));
    const gone = old.filter((one) => !now.includes(one));
    const [wasOpen, isOpen] = [before, after].map(
      (schema) => this.#options.openEnums || schema["x-open"] === true,
    );
    return [
      // A reader of an open list accepts new values, but may not know the new name of one.
      ...gone.map((one) => report(wasOpen ? "value-removed-open" : "value-removed", one)),
      ...added.map((one) => report(wasOpen ? "value-added-open" : "value-added", one)),
      ...(!wasOpen && isOpen ? [report("list-opened", text(now))] : []),
      ...(wasOpen && !isOpen ? [report("list-closed", text(now))] : []),
    ];
  }

  #members(before: LocatedSchema, after: LocatedSchema, report: Report): readonly RawChange[] {
    const [old, now] = [new Map(membersOf(before)), new Map(membersOf(after))];
    const { required: mustHave = [], additionalProperties: oldMap = true } = before.schema;
    const { required: must = [] } = after.schema;
    const names = new Set([...now.keys(), ...old.keys(), ...must, ...mustHave]);
    const changes = [...names].flatMap((name) => {
      const [earlier, later] = [old.get(name), now.get(name)];
      const [wasRequired, isRequired] = [mustHave.includes(name), must.includes(name)];
      const place = (later ?? earlier ?? inside(after, {}, "properties", name)).place;
      const told = (rule: RuleId): RawChange => ({ rule, place, message: name });
      const became = isRequired ? "member-became-required" : "member-became-optional";
      const inner = earlier && later ? this.changes(earlier, later) : [];
      if (earlier === undefined && later === undefined)
        return wasRequired === isRequired ? [] : [told(became)];
      if (wasRequired && isRequired && (earlier === undefined || later === undefined))
        return [told(later ? "member-described" : "member-undescribed")];
      if (earlier === undefined && !wasRequired) {
        const optional = oldMap === false ? "member-added-optional" : "member-described";
        return [told(isRequired ? "member-added-required" : optional)];
      }
      if (later === undefined && !isRequired)
        return [told(wasRequired ? "member-removed-required" : "member-removed-optional")];
      return wasRequired === isRequired ? inner : [told(became), ...inner];
    });
    return [...this.#maps(before, after, report), ...changes];
  }

  /** `additionalProperties`: members that are not listed. */
  #maps(before: LocatedSchema, after: LocatedSchema, report: Report): readonly RawChange[] {
    const { additionalProperties: old = true } = before.schema;
    const { additionalProperties: now = true } = after.schema;
    if ((old === false) !== (now === false))
      return [report(now === false ? "object-closed" : "object-opened", "additionalProperties")];
    if (typeof old === "object" && typeof now === "object")
      return this.changes(
        inside(before, old, "additionalProperties"),
        inside(after, now, "additionalProperties"),
      );
    if (typeof old === typeof now) return [];
    const rule = typeof now === "object" ? "map-described" : "map-undescribed";
    return [report(rule, "additionalProperties")];
  }

  #items(before: LocatedSchema, after: LocatedSchema): readonly RawChange[] {
    const [old, now] = [itemsOf(before), itemsOf(after)];
    if (old === undefined && now === undefined) return [];
    return this.changes(old ?? inside(before, {}, "items"), now ?? inside(after, {}, "items"));
  }
}

const hasKinds = ({ oneOf, anyOf }: JsonSchema): boolean => (oneOf ?? anyOf) !== undefined;

const isMixedUnion = ({ schema }: LocatedSchema): boolean =>
  hasKinds(schema) && (schema.properties ?? schema.required ?? schema.items) !== undefined;

function typeChanges(
  { schema: before }: LocatedSchema,
  { schema: after }: LocatedSchema,
  report: Report,
): readonly RawChange[] {
  const [old, now] = [allTypes(before), allTypes(after)];
  const missing = (some: readonly TypeName[], all: readonly TypeName[]): boolean =>
    some.some((type) => !all.includes(type) && !(type === "integer" && all.includes("number")));
  const isNarrower = missing(old, now);
  const isWider = missing(now, old);
  if (!isNarrower && !isWider) return [];
  const [was, is] = [before, after].map((schema) => typesOf(schema).join(" or ") || "any type");
  const message = `${was ?? ""} → ${is ?? ""}`;
  if (isNarrower && isWider) return [report("type-changed", message)];
  return [report(isNarrower ? "type-narrowed" : "type-widened", message)];
}

const ALL: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"];

/** The types of a schema's values; a list of values has their types. */
function allTypes(schema: JsonSchema): readonly TypeName[] {
  const types = typesOf(schema);
  if (types.length > 0) return types;
  const values = "const" in schema ? [schema.const] : schema.enum;
  return values?.map(typeOf) ?? ALL;
}

function typeOf(value: unknown): TypeName {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  // A value of JSON is nothing else.
  return typeof value as "boolean" | "number" | "string" | "object";
}

/** The listed values as JSON texts, without null, which the type lists. A const is a list of one value. */
function valuesOf(schema: JsonSchema): readonly string[] | undefined {
  const values = "const" in schema ? [schema.const] : schema.enum;
  return values?.filter((one) => one !== null).map((one) => JSON.stringify(one));
}

const BOUNDS = [
  ["minLength", 1],
  ["minimum", 1],
  ["exclusiveMinimum", 1],
  ["minItems", 1],
  ["minProperties", 1],
  ["maxLength", -1],
  ["maximum", -1],
  ["exclusiveMaximum", -1],
  ["maxItems", -1],
  ["maxProperties", -1],
] as const;

function boundChanges(before: JsonSchema, after: JsonSchema, report: Report): readonly RawChange[] {
  return BOUNDS.flatMap(([keyword, sign]) => {
    const [old, now] = [before[keyword], after[keyword]];
    // A bound that accepts everything is not a bound.
    const [was, is] = [old, now].map((value) => (value ?? -sign * Infinity) * sign);
    if (was === undefined || is === undefined || was === is) return [];
    if (/^min[^i]|^minI/.test(keyword) && Math.max(was, is) <= 0) return [];
    const message = `${keyword} ${String(old ?? "none")} → ${String(now ?? "none")}`;
    return [report(is > was ? "bound-tightened" : "bound-loosened", message)];
  });
}

/** Keywords that are compared by their meaning, and annotations. */
const COMPARED = new Set(
  [
    "title description deprecated examples discriminator type const enum x-open oneOf anyOf properties required",
    "additionalProperties items pattern format multipleOf",
    ...BOUNDS.map(([keyword]) => keyword),
  ].flatMap((keywords) => keywords.split(" ")),
);

/** Other keywords are equal, or are reported as changed. */
function otherChanges(
  before: LocatedSchema,
  after: LocatedSchema,
  report: Report,
): readonly RawChange[] {
  const rest = ({ schema }: LocatedSchema): JsonSchema =>
    Object.fromEntries(Object.entries(schema).filter(([keyword]) => !COMPARED.has(keyword)));
  const [old, now] = [rest(before), rest(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return names
    .filter((name) => {
      const one = (schema: JsonSchema): JsonSchema =>
        Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword === name));
      return !isEqual({ ...before, schema: one(old) }, { ...after, schema: one(now) }, new Map());
    })
    .map((name) => report("keyword-changed", name));
}
