import fc from "fast-check";
import { faultsOf, typesOf } from "./faults.ts";
import {
  isUnion,
  itemsOf,
  kindsOf,
  membersOf,
  OutsideSubsetError,
  placeOf,
  resolve,
} from "./schema.ts";
import type { LocatedSchema } from "./schema.ts";

/**
 * An arbitrary of the values that a schema accepts, with shrinking: all that the keywords allow, and nothing that
 * they refuse. An open enum yields only its listed values, as senders do.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`
 */
export function arbitrary(located: LocatedSchema): fc.Arbitrary<unknown> {
  const at = resolve(located);
  const { schema } = at;
  if (isUnion(schema)) return fc.oneof(...kindsOf(at).map(arbitrary));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const [type, ...others] = typesOf(schema);
  if (others.length > 0) {
    const { type: _, ...rest } = schema;
    return fc.oneof(
      ...typesOf(schema).map((one) => arbitrary({ ...at, schema: { ...rest, type: one } })),
    );
  }
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
      return lists(at);
    case "object":
      return objects(at);
    case undefined:
      throw new OutsideSubsetError(placeOf(at), "no type, const, enum or oneOf");
    default:
      return type satisfies never;
  }
}

function objects(at: LocatedSchema): fc.Arbitrary<unknown> {
  const { required = [], additionalProperties, properties } = at.schema;
  const members = Object.fromEntries([
    ...required.map((name) => [name, fc.jsonValue()] as const),
    ...membersOf(at).map(([name, member]) => [name, arbitrary(member)] as const),
  ]);
  const known = fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
  if (additionalProperties === false) return known;
  // `__proto__` would be lost between here and the text of the document.
  const names = fc.string().filter((name) => name !== "__proto__" && !(name in (properties ?? {})));
  const more = fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true });
  return fc.tuple(more, known).map(([others, own]) => ({ ...others, ...own }));
}

function lists(at: LocatedSchema): fc.Arbitrary<unknown> {
  const items = itemsOf(at);
  const { minItems = 0, maxItems } = at.schema;
  const lengths = { minLength: minItems, ...(maxItems !== undefined && { maxLength: maxItems }) };
  return fc.array(items === undefined ? fc.jsonValue() : arbitrary(items), lengths);
}

const codePoints = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((point) => String.fromCodePoint(point));

/** Every code point but surrogates, as in `binary` of fast-check, which takes seconds to build. */
const anyCharacter = fc.oneof(
  codePoints(0x20, 0x7e),
  codePoints(0, 0xd7ff),
  codePoints(0xe000, 0x10ffff),
);

/** URLs like those of `webUrl` of fast-check, which takes seconds to build, since its paths use `binary`. */
const urls = fc
  .tuple(
    fc.constantFrom("http", "https"),
    fc.domain({ size: "small" }),
    fc.stringMatching(/^(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-F]{2})*)*$/, { size: "small" }),
  )
  .map(([scheme, host, path]) => `${scheme}://${host}${path}`);

const WHOLE_CLASS = /^\^(?<set>\[(?:\\.|[^\]\\])+\])[+*]\$$/;

/** Lengths are counted in code points, as JSON Schema does. */
function texts(at: LocatedSchema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength, pattern, format } = at.schema;
  const lengths = { minLength, ...(maxLength !== undefined && { maxLength }) };
  const isAccepted = (text: string): boolean => faultsOf(at, text).length === 0;
  if (format === "date-time") return timestamps().filter(isAccepted);
  if (format !== undefined) return urls.filter(isAccepted);
  if (pattern === undefined) return fc.string({ unit: anyCharacter, ...lengths });
  // Most patterns are one class: of its characters a text of any length is made at once.
  const set = WHOLE_CLASS.exec(pattern)?.groups?.["set"];
  if (set === undefined) {
    const bound = maxLength === undefined ? {} : { maxLength };
    return fc.stringMatching(new RegExp(pattern, "u"), bound).filter(isAccepted);
  }
  // A `+` asks for one character where minLength asks for none.
  const least = Math.max(minLength, pattern.endsWith("+$") ? 1 : 0);
  const unit = fc.stringMatching(new RegExp(`^${set}$`, "u"));
  return fc.string({ unit, ...lengths, minLength: least });
}

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` (S 2.3): the years that four digits can write. */
function timestamps(): fc.Arbitrary<string> {
  const [min, max] = [new Date("0000-01-01T00:00:00.000Z"), new Date("9999-12-31T23:59:59.999Z")];
  return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
}

/** Multiples of a power of ten are drawn as integers: sums of binary fractions would not be multiples. */
function numbers(at: LocatedSchema): fc.Arbitrary<number> {
  const { minimum, maximum, multipleOf } = at.schema;
  const isInteger = typesOf(at.schema).includes("integer");
  if (multipleOf === undefined && !isInteger) {
    const bounds = {
      ...(minimum !== undefined && { min: minimum }),
      ...(maximum !== undefined && { max: maximum }),
    };
    return fc.double({ ...bounds, noNaN: true, noDefaultInfinity: true });
  }
  const places = placesOf(at, multipleOf ?? 1);
  return fc
    .bigInt({
      min: scaled(minimum ?? Number.MIN_SAFE_INTEGER, places),
      max: scaled(maximum ?? Number.MAX_SAFE_INTEGER, places),
    })
    .map((units) => Number(`${String(units)}e-${String(places)}`));
}

function placesOf(at: LocatedSchema, multipleOf: number): number {
  if (multipleOf === 1) return 0;
  const zeros = /^0\.(0*)1$/.exec(String(multipleOf))?.[1];
  if (zeros === undefined)
    throw new OutsideSubsetError(placeOf(at), "multipleOf is not a power of ten");
  return zeros.length + 1;
}

function scaled(value: number, places: number): bigint {
  const [whole = "", fraction = ""] = String(value).split(".");
  return BigInt(whole + fraction.padEnd(places, "0").slice(0, places));
}
