import fc from "fast-check";
import { type JsonSchema, type TypeName, typesOf } from "../documents/json-schema.ts";
import { DocumentError } from "../documents/document-error.ts";
import { formats } from "./formats.ts";
import {
  inside,
  itemsOf,
  type LocatedSchema,
  LONGEST,
  membersOf,
  resolve,
  wholeKindsOf,
} from "./schema.ts";
import { accepts, regExpOf } from "./validity.ts";

/**
 * An arbitrary of the values that a schema accepts, with shrinking. An open enum yields only its listed values, as
 * senders do. Values are made of the keywords that describe one; others, such as `not`, filter them.
 *
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`: no value was found that the schema accepts.
 */
export function arbitrary(located: LocatedSchema): fc.Arbitrary<unknown> {
  const at = resolve(located);
  const made = accepted(generated(at, []), at);
  if (made !== undefined) return made;
  throw new DocumentError("CS_DOCUMENT_NO_VALUE", `${at.place}: no value found that it accepts`);
}

const found = new WeakMap<JsonSchema, unknown>();

/** Some value that a schema accepts, always the same; `undefined` if none was found. */
export function someValue(at: LocatedSchema): unknown {
  // A search takes up to milliseconds, and an example has some schemas in many places.
  if (found.has(at.schema)) return found.get(at.schema);
  const made = accepted(generated(at, []), at);
  const value = made && fc.sample(made, { seed: 1, numRuns: 1 })[0];
  found.set(at.schema, value);
  return value;
}

/** Below, only what must be there is made: schemas that contain each other have endless values. */
export const DEEP = 12;

type Made = fc.Arbitrary<unknown> | undefined;

/** The values that a schema accepts; `undefined` instead of a filter that nothing passes. */
function accepted<Value>(
  made: fc.Arbitrary<Value> | undefined,
  at: LocatedSchema,
): fc.Arbitrary<Value> | undefined {
  const isAccepted = (value: Value): boolean => accepts(at, value);
  if (made === undefined) return undefined;
  for (let seed = 1; seed <= 100; seed += 1)
    if (fc.sample(made, { seed, numRuns: 1 }).every(isAccepted)) return made.filter(isAccepted);
  return undefined;
}

/** @param above Places on the way here: a schema inside itself ends, `undefined`, at its second turn. */
function generated(located: LocatedSchema, above: readonly string[]): Made {
  const at = resolve(located);
  if (above.filter((place) => place === at.place).length > 1) return undefined;
  const path = [...above, at.place];
  const kinds = wholeKindsOf(at).slice(0, path.length > DEEP ? 1 : undefined);
  const all = kinds.length > 0 ? kinds.map((kind) => generated(kind, path)) : ofTypes(at, path);
  const [one, ...others] = all.filter((made) => made !== undefined);
  return one && (others.length === 0 ? one : fc.oneof(one, ...others));
}

function ofTypes(at: LocatedSchema, path: readonly string[]): readonly Made[] {
  const { schema } = at;
  if ("const" in schema) return [fc.constant(schema.const)];
  if (schema.enum !== undefined) return [fc.constantFrom(...schema.enum)];
  const types = typesOf(schema);
  if (types.length === 0) return [schema.required ? objects(at, path) : fc.jsonValue()];
  return types.map((type) => makers[type](at, path));
}

const makers: Readonly<Record<TypeName, (at: LocatedSchema, path: readonly string[]) => Made>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: (at) => accepted(numbers(at.schema, 1), at),
  number: (at) => accepted(numbers(at.schema), at),
  string: (at) => accepted(texts(at.schema), at),
  array: lists,
  object: objects,
};

function objects(at: LocatedSchema, path: readonly string[]): Made {
  const { required = [], additionalProperties: others = true, properties = {} } = at.schema;
  const made = membersOf(at)
    .filter(([name]) => path.length <= DEEP || required.includes(name))
    .map(([name, member]) => [name, generated(member, path)] as const);
  if (made.some(([name, one]) => one === undefined && required.includes(name))) return undefined;
  const members = Object.fromEntries([
    ...required.map((name) => [name, fc.jsonValue()] as const),
    ...made.flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const])),
  ]);
  const known = fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
  if (others === false) return known;
  // `__proto__` would be lost between here and the text of the document.
  const names = fc.string().filter((name) => name !== "__proto__" && !(name in properties));
  const unlisted = others === true ? {} : others;
  const value = generated(inside(at, unlisted, "additionalProperties"), path);
  if (value === undefined) return known;
  const more = fc.dictionary(names, value, { noNullPrototype: true });
  return fc.tuple(more, known).map(([some, own]) => ({ ...some, ...own }));
}

function lists(at: LocatedSchema, path: readonly string[]): Made {
  const items = itemsOf(at);
  const { minItems: minLength = 0, maxItems: maxLength = Infinity } = at.schema;
  const item = items === undefined ? fc.jsonValue() : generated(items, path);
  if (item === undefined) return minLength === 0 ? fc.constant([]) : undefined;
  if (minLength > LONGEST) return undefined;
  return fc.array(item, { minLength, ...(maxLength <= LONGEST && { maxLength }) });
}

const codePoints = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((point) => String.fromCodePoint(point));

/** Every code point but surrogates, as in `binary` of fast-check, which takes seconds to build. */
const anyCharacter = fc.oneof(
  codePoints(0x20, 0x7e),
  codePoints(0, 0xd7ff),
  codePoints(0xe000, 0x10ffff),
);

/** Lengths are counted in code points, as JSON Schema does. */
function texts(schema: JsonSchema): fc.Arbitrary<string> | undefined {
  const { minLength = 0, maxLength = Infinity, pattern, format = "" } = schema;
  if (minLength > LONGEST) return undefined;
  const most = maxLength <= LONGEST ? { maxLength } : {};
  const ofFormat = formats[format]?.arbitrary();
  if (ofFormat !== undefined) return ofFormat;
  if (pattern === undefined) return fc.string({ unit: anyCharacter, minLength, ...most });
  // Most patterns end in a class: of its characters a text of any length is made at once.
  const least = Math.max(minLength, pattern.endsWith("+$") ? 1 : 0);
  const form = pattern.replace(/(?<=\])[+*]\$$/, `{${least},${Math.min(maxLength, least + 99)}}$`);
  try {
    return fc.stringMatching(regExpOf(form) ?? /^/, most);
  } catch {
    // fast-check refuses some of JavaScript's patterns.
    return undefined;
  }
}

/** Steps, by default `least`, are drawn as integers: sums of binary fractions would not be multiples. */
function numbers(schema: JsonSchema, least?: number): fc.Arbitrary<number> | undefined {
  const { exclusiveMinimum: above = -Infinity, exclusiveMaximum: below = Infinity } = schema;
  const min = Math.max(schema.minimum ?? -Infinity, above);
  const max = Math.min(schema.maximum ?? Infinity, below);
  const { multipleOf: step = least } = schema;
  if (min > max) return undefined;
  if (step === undefined) return fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  const steps = (bound: number): number => {
    const count = Number((bound / step).toFixed(6));
    return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(count, Number.MAX_SAFE_INTEGER));
  };
  const counts = { min: Math.ceil(steps(min)), max: Math.floor(steps(max)) };
  if (counts.min > counts.max) return undefined;
  const digits = Number.isInteger(step) ? 0 : 12;
  return fc.integer(counts).map((count) => Number((count * step).toFixed(digits)));
}
