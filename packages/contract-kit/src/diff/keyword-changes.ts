import fc from "fast-check";
import { arbitrary } from "../derive/arbitrary.ts";
import { boundaries, negatives } from "../derive/cases.ts";
import { examples } from "../derive/example.ts";
import { accepts, typesOf } from "../derive/faults.ts";
import { type LocatedSchema, type Schema, type SchemaSet, schemaSet } from "../derive/schema.ts";
import type { RuleId } from "./rules.ts";

/** A change at one place, without its severity. */
export interface RawChange {
  readonly rule: RuleId;
  readonly place: string;
  readonly message: string;
}

/** Says what has changed at one place. */
export type Tell = (rule: RuleId, message: string) => RawChange;

/** The changes of keywords about the value itself. If the type differs, nothing else is reported. */
export function keywordChanges(
  old: LocatedSchema,
  now: LocatedSchema,
  tell: Tell,
): readonly RawChange[] {
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
  // Only the form: a bound that changed too has its own verdict.
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

/**
 * Searches for a value that one schema accepts and the other refuses: examples of the first, values at
 * its bounds, values that break one keyword of the second, and random values from a fixed seed.
 */
export function counterexample(
  accepting: LocatedSchema,
  refusing: LocatedSchema,
  samples = 60,
): { readonly value: unknown } | undefined {
  const refused = (value: unknown): boolean => !accepts(refusing, value);
  const near = (): readonly unknown[] =>
    examples(accepting, { optional: "present" })
      .filter((value) => accepts(accepting, value))
      .flatMap((value) => [value, ...boundaries(accepting, value).map((one) => one.value)]);
  const broken = (): readonly unknown[] =>
    examples(refusing, { optional: "present" }).flatMap((value) =>
      accepts(refusing, value) ? negatives(refusing, value).map((one) => one.value) : [],
    );
  const random = (): readonly unknown[] =>
    fc.sample(arbitrary(accepting), { seed: 1, numRuns: samples });
  for (const values of [near, broken, random])
    for (const value of values()) if (refused(value) && accepts(accepting, value)) return { value };
  return undefined;
}

/** The schemas as readers apply them: unknown members and new values of open lists are valid. */
export function readersOf(set: SchemaSet): SchemaSet {
  return schemaSet(
    Object.fromEntries(
      set.paths.map((path) => [
        path,
        JSON.parse(JSON.stringify(set.document(path).schema), opened) as Schema,
      ]),
    ),
  );
}

function opened(_name: string, part: unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  // Only schemas and their values are in a schema; a value is not judged.
  const { oneOf, additionalProperties: _closed, enum: values, ...rest } = part as Schema;
  return {
    ...rest,
    ...(oneOf !== undefined && { anyOf: oneOf }),
    ...(values !== undefined && rest["x-open"] !== true && { enum: values }),
  };
}
