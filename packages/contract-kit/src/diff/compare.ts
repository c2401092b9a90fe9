import {
  type JsonSchema,
  namedTypes,
  type TypeName,
  typesOf,
  valuesOf,
} from "../documents/json-schema.ts";
import { inside, itemsOf, type LocatedSchema, membersOf, resolve } from "../derive/schema.ts";
import { formChanges } from "./forms.ts";
import type { RawChange, Report, RuleId } from "./rules.ts";
import { isEqual, isSame, kindPairs, kindsWithoutNull } from "./unions.ts";

/** Compares schemas; a pair of schemas that is reached again is not compared again. */
export class Comparison {
  readonly #openEnums: boolean;
  readonly #compared = new Map<JsonSchema, Set<JsonSchema>>();

  /** @param openEnums True compares each list of values as one that readers take as open. */
  constructor({ openEnums }: { readonly openEnums: boolean }) {
    this.#openEnums = openEnums;
  }

  /** The changes between two schemas and all that they refer to. */
  changes(old: LocatedSchema, now: LocatedSchema): readonly RawChange[] {
    const [before, after] = [resolve(old), resolve(now)];
    // A member is deprecated at its own place, next to its reference.
    const isDeprecated = (...both: readonly LocatedSchema[]): boolean =>
      both.some(({ schema }) => schema.deprecated === true);
    const deprecated: RawChange = { rule: "deprecated", place: now.place, message: "deprecated" };
    const own = isDeprecated(now, after) && !isDeprecated(old, before) ? [deprecated] : [];
    const others = this.#compared.get(before.schema) ?? new Set();
    if (isSame(before, after) || others.has(after.schema)) return own;
    this.#compared.set(before.schema, others.add(after.schema));
    return [...own, ...this.#structural(before, after)];
  }

  #structural(before: LocatedSchema, after: LocatedSchema): readonly RawChange[] {
    const report: Report = (rule, message, place = after.place) => ({ rule, place, message });
    const [wasUnion, isUnion] = [before, after].map(({ schema }) => hasKinds(schema));
    // A schema without kinds is compared with the kinds of a union, unless members are next to the union.
    const isMixed = wasUnion !== isUnion && [before, after].some(isMixedUnion);
    if (isMixed) {
      const rule = isUnion === true ? "union-added" : "union-removed";
      return [report(rule, "oneOf or anyOf"), ...this.#own(before, after, report)];
    }
    const kinds = wasUnion === true || isUnion === true ? this.#unions(before, after, report) : [];
    if (wasUnion !== isUnion) return kinds;
    const types = typeChanges(before, after, report);
    // If the type changed, nothing else can be compared.
    if (wasUnion !== true && types.some(({ rule }) => rule === "type-changed")) return types;
    return [...kinds, ...types, ...this.#own(before, after, report)];
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
      return [report("discriminator-changed", `${tags[0]} → ${tags[1]}`)];
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
      ...added.map(([name, { place }]) => report("kind-added", name, place)),
      ...removed.map(([name, { place }]) => report("kind-removed", name, place)),
    ];
  }

  #values(before: JsonSchema, after: JsonSchema, report: Report): readonly RawChange[] {
    const [old, now] = [textsOf(before), textsOf(after)];
    const text = (values: readonly string[]): string => values.join(", ");
    if (old === undefined) return now === undefined ? [] : [report("values-listed", text(now))];
    if (now === undefined) return [report("values-unlisted", text(old))];
    const added = now.filter((one) => !old.includes(one));
    const gone = old.filter((one) => !now.includes(one));
    const [wasOpen, isOpen] = [before, after].map(
      (schema) => this.#openEnums || schema["x-open"] === true,
    );
    return [
      ...gone.map((one) => report("value-removed", one)),
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
      const change = (rule: RuleId): RawChange => report(rule, name, place);
      const became = isRequired ? "member-became-required" : "member-became-optional";
      const inner = earlier && later ? this.changes(earlier, later) : [];
      if (earlier === undefined && later === undefined)
        return wasRequired === isRequired ? [] : [change(became)];
      if (wasRequired && isRequired && (earlier === undefined || later === undefined))
        return [change(later ? "member-described" : "member-undescribed")];
      if (earlier === undefined && !wasRequired) {
        const optional = oldMap === false ? "member-added-optional" : "member-described";
        return [change(isRequired ? "member-added-required" : optional)];
      }
      if (later === undefined && !isRequired)
        return [change(wasRequired ? "member-removed-required" : "member-removed-optional")];
      return wasRequired === isRequired ? inner : [change(became), ...inner];
    });
    return [...this.#maps(before, after, report), ...changes];
  }

  /** `additionalProperties`: members that are not listed. */
  #maps(before: LocatedSchema, after: LocatedSchema, report: Report): readonly RawChange[] {
    const { additionalProperties: old = true } = before.schema;
    const { additionalProperties: now = true } = after.schema;
    if ((old === false) !== (now === false))
      return [report(now === false ? "object-closed" : "object-opened", "additionalProperties")];
    const keyword = "additionalProperties";
    if (typeof old === "object" && typeof now === "object")
      return this.changes(inside(before, old, keyword), inside(after, now, keyword));
    if (typeof old === typeof now) return [];
    return [report(typeof now === "object" ? "map-described" : "map-undescribed", keyword)];
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

const allTypes = (schema: JsonSchema): readonly TypeName[] => {
  const types = namedTypes(schema);
  return types.length === 0 && valuesOf(schema) === undefined ? ALL : types;
};

/** The listed values as JSON texts, without null, which the type lists. */
const textsOf = (schema: JsonSchema): readonly string[] | undefined =>
  valuesOf(schema)
    ?.filter((one) => one !== null)
    .map((one) => JSON.stringify(one));

const LOWER = ["minLength", "minimum", "exclusiveMinimum", "minItems", "minProperties"] as const;
const UPPER = ["maxLength", "maximum", "exclusiveMaximum", "maxItems", "maxProperties"] as const;
const BOUNDS = [...LOWER, ...UPPER];

function boundChanges(before: JsonSchema, after: JsonSchema, report: Report): readonly RawChange[] {
  return BOUNDS.flatMap((keyword) => {
    const [old, now] = [before[keyword], after[keyword]];
    const sign = /min/i.test(keyword) ? 1 : -1;
    // A bound that accepts everything is not a bound.
    const [was, is] = [old, now].map((value) => (value ?? -sign * Infinity) * sign);
    if (was === undefined || is === undefined || was === is) return [];
    if (/^min[^i]|^minI/.test(keyword) && Math.max(was, is) <= 0) return [];
    const message = `${keyword} ${String(old ?? "none")} → ${String(now ?? "none")}`;
    return [report(is > was ? "bound-tightened" : "bound-loosened", message)];
  });
}

/** Keywords that are compared by their meaning, and annotations. */
const COMPARED = new Set<string>([
  ..."title description deprecated examples discriminator type const enum x-open oneOf".split(" "),
  ..."anyOf properties required additionalProperties items pattern format multipleOf".split(" "),
  ...BOUNDS,
]);

/** Other keywords are equal, or are reported as changed. */
function otherChanges(
  before: LocatedSchema,
  after: LocatedSchema,
  report: Report,
): readonly RawChange[] {
  const only = (at: LocatedSchema, name: string): LocatedSchema => {
    const own = Object.entries(at.schema).filter(([keyword]) => keyword === name);
    return { ...at, schema: Object.fromEntries(own) };
  };
  const names = [before, after].flatMap(({ schema }) => Object.keys(schema));
  return [...new Set(names)]
    .filter((name) => !COMPARED.has(name))
    .filter((name) => !isEqual(only(before, name), only(after, name), new Map()))
    .map((name) => report("keyword-changed", name));
}
