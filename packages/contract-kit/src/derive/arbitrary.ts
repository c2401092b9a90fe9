import fc from "fast-check";
import { type JsonSchema, partsOf, type TypeName, typesOf } from "../documents/json-schema.ts";
import { DocumentError } from "../documents/document-error.ts";
import { formats } from "./formats.ts";
import {
  itemsOf,
  type LocatedSchema,
  LONGEST,
  membersOf,
  resolve,
  wholeKindsOf,
} from "./schema.ts";
import { accepts, closureOf, faultsOf, regExpOf } from "./validity.ts";

/**
 * An arbitrary of the values that a schema accepts, with shrinking. An open enum yields only its listed values, as
 * senders do. Values are made of the keywords that describe one; keywords that only refuse some (`not`, `if`, `oneOf`
 * of similar kinds and those of `notGenerated`) filter them.
 *
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`: no value was found that the schema accepts.
 */
export function arbitrary(located: LocatedSchema): fc.Arbitrary<unknown> {
  const made = possibleArbitrary(located);
  if (made !== undefined) return made;
  const { place } = resolve(located);
  throw new DocumentError("CS_DOCUMENT_NO_VALUE", `${place}: no value found that it accepts`);
}

/** `undefined` if no value was found. */
export function possibleArbitrary(located: LocatedSchema): fc.Arbitrary<unknown> | undefined {
  const at = resolve(located);
  const made = generated(at, []);
  if (made === undefined || notGenerated(at).length === 0) return made;
  const isAccepted = (value: unknown): boolean => accepts(at, value);
  // A filter that nothing passes would search for ever.
  const isUsable = fc.sample(made, { seed: 1, numRuns: 200 }).some(isAccepted);
  return isUsable ? made.filter(isAccepted) : undefined;
}

const FILTERS =
  "allOf not if contains minContains patternProperties propertyNames dependentSchemas dependentRequired uniqueItems minProperties maxProperties unevaluatedProperties unevaluatedItems prefixItems".split(
    " ",
  );

/** Keywords of a schema, and of all that it reaches, that values are not made from, but filtered by. */
export function notGenerated({ schema, source }: LocatedSchema): readonly string[] {
  const found = new Set<string>();
  const visit = (part: JsonSchema): void => {
    for (const keyword of FILTERS) if (Object.hasOwn(part, keyword)) found.add(keyword);
    if (part.oneOf !== undefined && !areApart(part.oneOf)) found.add("oneOf");
    const isMixed = part.properties !== undefined && (part.oneOf ?? part.anyOf) !== undefined;
    if (isMixed) found.add(part.oneOf === undefined ? "anyOf" : "oneOf");
    if (part.pattern !== undefined && regExpOf(part.pattern) === undefined) found.add("pattern");
    for (const [, inner] of partsOf(part)) visit(inner);
  };
  for (const one of [schema, ...Object.values(closureOf(schema, source))]) visit(one);
  return [...found];
}

/** True if no value fits two kinds: their types differ, or a member has another constant in each. */
function areApart(kinds: readonly JsonSchema[]): boolean {
  const types = kinds.flatMap(typesOf).map((type) => (type === "integer" ? "number" : type));
  if (types.length >= kinds.length && new Set(types).size === types.length)
    return kinds.every((kind) => typesOf(kind).length > 0);
  const names = Object.keys(kinds[0]?.properties ?? {});
  return names.some((name) => {
    const values = kinds.map(({ properties, required = [] }) =>
      required.includes(name) ? (properties?.[name]?.const ?? properties?.[name]?.enum) : undefined,
    );
    const all = values.flat();
    return !all.includes(undefined) && new Set(all).size === all.length;
  });
}

/** Below, only what must be there is made: schemas that contain each other have endless values. */
export const DEEP = 12;

type Made = fc.Arbitrary<unknown> | undefined;

/** @param above Places on the way here: a schema inside itself ends, `undefined`, at its second turn. */
function generated(located: LocatedSchema, above: readonly string[]): Made {
  const at = resolve(located);
  const { place } = at;
  if (above.filter((one) => one === place).length > 1) return undefined;
  const path = [...above, place];
  const kinds = wholeKindsOf(at).slice(0, path.length > DEEP ? 1 : undefined);
  if (kinds.length === 0) return ofTypes(at, path);
  const [one, ...others] = kinds
    .map((kind) => generated(kind, path))
    .filter((made) => made !== undefined);
  return one && fc.oneof(one, ...others);
}

function ofTypes(at: LocatedSchema, path: readonly string[]): Made {
  const { schema } = at;
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const made = typesOf(schema).map((type) =>
    ofType({ ...at, schema: { ...schema, type } }, type, path),
  );
  const [one, ...others] = made.filter((some) => some !== undefined);
  if (made.length === 0) return schema.required ? objects(at, path) : fc.jsonValue();
  return one && (others.length === 0 ? one : fc.oneof(one, ...others));
}

function ofType(at: LocatedSchema, type: TypeName, path: readonly string[]): Made {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
    case "number":
      return numbers(at);
    case "string":
      return texts(at);
    case "array":
      return lists(at, path);
    case "object":
      return objects(at, path);
    default:
      return type satisfies never;
  }
}

function objects(at: LocatedSchema, path: readonly string[]): Made {
  const { required = [], additionalProperties = true, properties } = at.schema;
  const made = membersOf(at)
    .filter(([name]) => path.length <= DEEP || required.includes(name))
    .map(([name, member]) => [name, generated(member, path)] as const);
  const members = Object.fromEntries([
    ...required.map((name) => [name, fc.jsonValue()] as const),
    ...made.flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const])),
  ]);
  if (made.some(([name, one]) => one === undefined && required.includes(name))) return undefined;
  const known = fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
  if (additionalProperties === false) return known;
  // `__proto__` would be lost between here and the text of the document.
  const names = fc.string().filter((name) => name !== "__proto__" && !(name in (properties ?? {})));
  const inner = additionalProperties === true ? {} : additionalProperties;
  const value = generated(
    { ...at, schema: inner, place: `${at.place}/additionalProperties` },
    path,
  );
  if (value === undefined) return known;
  const more = fc.dictionary(names, value, { noNullPrototype: true });
  return fc.tuple(more, known).map(([others, own]) => ({ ...others, ...own }));
}

function lists(at: LocatedSchema, path: readonly string[]): Made {
  const items = itemsOf(at);
  const { minItems = 0, maxItems } = at.schema;
  const item = items === undefined ? fc.jsonValue() : generated(items, path);
  if (item === undefined) return minItems === 0 ? fc.constant([]) : undefined;
  if (minItems > LONGEST) return undefined;
  return fc.array(item, {
    minLength: minItems,
    ...(maxItems !== undefined && { maxLength: maxItems }),
  });
}

const codePoints = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((point) => String.fromCodePoint(point));

/** Every code point but surrogates, as in `binary` of fast-check, which takes seconds to build. */
const anyCharacter = fc.oneof(
  codePoints(0x20, 0x7e),
  codePoints(0, 0xd7ff),
  codePoints(0xe000, 0x10ffff),
);

const WHOLE_CLASS = /^\^(?<set>\[(?:\\.|[^\]\\])+\])[+*]\$$/;

/** Lengths are counted in code points, as JSON Schema does. */
function texts(at: LocatedSchema): Made {
  const { minLength = 0, maxLength, pattern, format = "" } = at.schema;
  if (minLength > LONGEST) return undefined;
  const lengths = { minLength, ...(maxLength !== undefined && { maxLength }) };
  const isAccepted = (text: string): boolean => faultsOf(at, text).length === 0;
  const ofFormat = formats[format]?.arbitrary;
  const isFree = pattern === undefined && maxLength === undefined && minLength === 0;
  const made = ofFormat && (isFree ? ofFormat() : filtered(ofFormat(), isAccepted));
  if (made !== undefined) return made;
  if (pattern === undefined) return fc.string({ unit: anyCharacter, ...lengths });
  // Most patterns are one class: of its characters a text of any length is made at once.
  const set = WHOLE_CLASS.exec(pattern)?.groups?.["set"];
  try {
    if (set === undefined) {
      const bound = maxLength === undefined ? {} : { maxLength };
      const form = regExpOf(pattern);
      return form && filtered(fc.stringMatching(form, bound), isAccepted);
    }
    // A `+` asks for one character where minLength asks for none.
    const least = Math.max(minLength, pattern.endsWith("+$") ? 1 : 0);
    const unit = fc.stringMatching(new RegExp(`^${set}$`, "u"));
    return fc.string({ unit, ...lengths, minLength: least });
  } catch {
    // fast-check refuses some of JavaScript's patterns.
    return undefined;
  }
}

/** `undefined` instead of a filter that nothing passes. */
function filtered(made: fc.Arbitrary<string>, isAccepted: (text: string) => boolean): Made {
  const isUsable = fc.sample(made, { seed: 1, numRuns: 50 }).some(isAccepted);
  return isUsable ? made.filter(isAccepted) : undefined;
}

/** Multiples of a power of ten are drawn as integers: sums of binary fractions would not be multiples. */
function numbers(at: LocatedSchema): Made {
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = at.schema;
  const { minimum = exclusiveMinimum, maximum = exclusiveMaximum } = at.schema;
  const isAllowed = (value: number): boolean =>
    value !== exclusiveMinimum && value !== exclusiveMaximum;
  if (multipleOf === undefined && !typesOf(at.schema).includes("integer")) {
    const bounds = {
      ...(minimum !== undefined && { min: minimum }),
      ...(maximum !== undefined && { max: maximum }),
    };
    return fc.double({ ...bounds, noNaN: true, noDefaultInfinity: true }).filter(isAllowed);
  }
  const zeros = /^0\.(0*)1$/.exec(String(multipleOf))?.[1];
  const places = zeros === undefined ? 0 : zeros.length + 1;
  const step = zeros === undefined ? (multipleOf ?? 1) : 1;
  const least = scaled(minimum ?? -LARGEST, places, step, Math.ceil);
  const most = scaled(maximum ?? LARGEST, places, step, Math.floor);
  if (least > most) return undefined;
  return fc
    .bigInt({ min: least, max: most })
    .map((units) => Number(`${String(units)}e-${String(places)}`) * step)
    .filter(isAllowed);
}

/** The number of steps in a value, at decimal places that are read from its text. */
function scaled(
  value: number,
  places: number,
  step: number,
  rounded: (value: number) => number,
): bigint {
  if (places === 0 || /e/.test(String(value)))
    return BigInt(rounded((value / step) * 10 ** places));
  const [whole = "", fraction = ""] = String(value).split(".");
  return BigInt(whole + fraction.padEnd(places, "0").slice(0, places));
}

const LARGEST = Number.MAX_SAFE_INTEGER;
