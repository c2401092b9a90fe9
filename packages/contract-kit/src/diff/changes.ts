import { typesOf } from "../derive/faults.ts";
import {
  isUnion,
  itemsOf,
  kindsOf,
  membersOf,
  placeOf,
  resolve,
  type LocatedSchema,
  type Schema,
} from "../derive/schema.ts";
import { counterexample } from "./counterexample.ts";
import type { RuleId } from "./rules.ts";

/** A change at one place, without its severity. */
export interface RawChange {
  readonly rule: RuleId;
  readonly place: string;
  readonly message: string;
}

/** Says what has changed at one place. */
type Tell = (rule: RuleId, message: string) => RawChange;

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
  const [wasOpen, isOpen] = [before, after].map(
    ({ schema }) => schema.additionalProperties !== false,
  );
  const changes = [...new Set([...now.keys(), ...old.keys()])].flatMap((name) => {
    const [earlier, later] = [old.get(name), now.get(name)];
    const [wasRequired, isRequired] = [before, after].map(
      ({ schema }) => schema.required?.includes(name) === true,
    );
    const told = (rule: RuleId): RawChange => {
      return { rule, place: placeOf(later ?? earlier ?? after), message: name };
    };
    if (earlier === undefined) {
      const optional = wasOpen ? "member-described" : "member-added-optional";
      return [told(isRequired ? "member-added-required" : optional)];
    }
    if (later === undefined)
      return [told(wasRequired ? "member-removed-required" : "member-removed-optional")];
    const inner = changesBetween(earlier, later);
    if (wasRequired === isRequired) return inner;
    return [told(isRequired ? "member-became-required" : "member-became-optional"), ...inner];
  });
  if (wasOpen === isOpen || !typesOf(after.schema).includes("object")) return changes;
  return [tell(isOpen ? "object-opened" : "object-closed", "additionalProperties"), ...changes];
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
  const [old, now] = [kindsByName(before, tags[0]), kindsByName(after, tags[0])];
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((name) => {
    const [earlier, later] = [old.get(name), now.get(name)];
    if (earlier !== undefined && later !== undefined) return changesBetween(earlier, later);
    const rule = earlier === undefined ? "kind-added" : "kind-removed";
    return [{ rule, place: placeOf(later ?? earlier ?? after), message: name }];
  });
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

/** The changes of keywords about the value itself. If the type differs, nothing else is reported. */
function keywordChanges(old: LocatedSchema, now: LocatedSchema, tell: Tell): readonly RawChange[] {
  const [before, after] = [old.schema, now.schema];
  const types = typeChanges(before, after, tell);
  if (types.some(({ rule }) => rule === "type-changed")) return types;
  return [
    ...types,
    ...valueChanges(before, after, tell),
    ...BOUNDS.flatMap((bound) => boundChanges(before, after, bound, tell)),
    ...FORMS.flatMap((form) => formChanges(old, now, form, tell)),
  ];
}

function typeChanges(before: Schema, after: Schema, tell: Tell): readonly RawChange[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  if (old.length === 0 || now.length === 0) return [];
  const gone = old.filter(
    (type) => !now.includes(type) && !(type === "integer" && now.includes("number")),
  );
  const added = now.filter(
    (type) => !old.includes(type) && !(type === "integer" && old.includes("number")),
  );
  const message = `${old.join(" or ")} → ${now.join(" or ")}`;
  const isWider = added.length > 0;
  if (gone.length > 0 && isWider) return [tell("type-changed", message)];
  if (gone.length > 0) return [tell("type-narrowed", message)];
  return isWider ? [tell("type-widened", message)] : [];
}

/** A const is a list of one value. */
function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return "const" in schema ? [schema.const] : schema.enum;
}

function valueChanges(before: Schema, after: Schema, tell: Tell): readonly RawChange[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const text = (values: readonly unknown[]): string =>
    values.map((one) => JSON.stringify(one)).join(", ");
  if (old === undefined) return now === undefined ? [] : [tell("values-listed", text(now))];
  if (now === undefined) return [tell("values-unlisted", text(old))];
  const [oldTexts, nowTexts] = [old, now].map((values) => values.map((one) => JSON.stringify(one)));
  const added = (nowTexts ?? []).filter((one) => !oldTexts?.includes(one));
  const gone = (oldTexts ?? []).filter((one) => !nowTexts?.includes(one));
  const [wasOpen, isOpen] = [before, after].map((schema) => schema["x-open"] === true);
  return [
    ...gone.map((one) => tell("value-removed", one)),
    // A reader of an open list must accept new values.
    ...added.map((one) => tell(wasOpen === true ? "value-added-open" : "value-added", one)),
    ...(!wasOpen && isOpen ? [tell("list-opened", text(now))] : []),
    ...(wasOpen && !isOpen ? [tell("list-closed", text(now))] : []),
  ];
}

const BOUNDS = [
  ["minLength", 1],
  ["minimum", 1],
  ["minItems", 1],
  ["maxLength", -1],
  ["maximum", -1],
  ["maxItems", -1],
] as const;

function boundChanges(
  before: Schema,
  after: Schema,
  [keyword, sign]: (typeof BOUNDS)[number],
  tell: Tell,
): readonly RawChange[] {
  const [old, now] = [before[keyword], after[keyword]];
  // A bound that accepts everything is not a bound.
  const [was, is] = [old, now].map((value) => (value ?? -sign * Infinity) * sign);
  if (was === undefined || is === undefined || was === is) return [];
  if (keyword !== "minimum" && sign === 1 && Math.max(was, is) <= 0) return [];
  const message = `${keyword} ${String(old ?? "none")} → ${String(now ?? "none")}`;
  return [tell(is > was ? "bound-tightened" : "bound-loosened", message)];
}

const FORMS = ["pattern", "format", "multipleOf"] as const;

/** Two forms are compared by search: no analysis knows every pattern. */
function formChanges(
  before: LocatedSchema,
  after: LocatedSchema,
  keyword: (typeof FORMS)[number],
  tell: Tell,
): readonly RawChange[] {
  const [old, now] = [before.schema[keyword], after.schema[keyword]];
  if (old === now) return [];
  const message = `${keyword} ${String(old ?? "none")} → ${String(now ?? "none")}`;
  if (old === undefined) return [tell("form-added", message)];
  if (now === undefined) return [tell("form-removed", message)];
  // The form is judged by itself: a bound that changed too has its own verdict.
  const [was, is] = [before, after].map((at, index): LocatedSchema => {
    const { type = "string" } = at.schema;
    return { ...at, schema: { type, [keyword]: [old, now][index] } };
  });
  if (was === undefined || is === undefined) return [];
  const [lost, gained] = [counterexample(was, is, 500), counterexample(is, was, 500)];
  const found = [lost, gained].map((one) => one && ` (${JSON.stringify(one.value)})`);
  if (lost && gained) return [tell("form-changed", message)];
  if (lost) return [tell("form-tightened", `${message}${found[0] ?? ""}`)];
  return [
    gained ? tell("form-loosened", `${message}${found[1] ?? ""}`) : tell("form-respelled", message),
  ];
}
