/** @ts-ignore fast-check is an optional peer: this module's types stand without it, as any */
import type FastCheck from "fast-check";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import type { JudgedSchema } from "@countersign/schemas/event-schemas";
import { eventSchema } from "./event-factories.ts";

/** An arbitrary for every type of the standard catalogue. */
export type EventArbitraries = {
  readonly [Type in keyof EventTypeMap]: FastCheck.Arbitrary<EventTypeMap[Type]>;
};

/**
 * Arbitraries of fast-check for every type of the standard catalogue, derived from the schemas'
 * documents: what they generate passes the writer's validators, so a receiver accepts it.
 *
 * They know what the schemas know. That a `refund.authorized` carries the status `AUTHORIZED` is not
 * in a schema, so a handler meets other statuses too, as it may in production.
 *
 * @param fc fast-check 4: `import fc from "fast-check"`. It is handed in, since only who generates
 *   events needs it.
 */
export function eventArbitraries(fc: typeof FastCheck): EventArbitraries {
  const types = Object.keys(standardCatalogue.events);
  // The types were generated from the documents that the arbitraries are derived from.
  return Object.fromEntries(
    types.map((type) => [type, arbitraryOfSchema(fc, eventSchema(type))]),
  ) as EventArbitraries;
}

/**
 * Returns an arbitrary of the values that a schema accepts, and of no others.
 * An open enum gives the values of its list, since a sender sends no other.
 *
 * @throws {TypeError} the schema uses a keyword in a way that is not understood here: an arbitrary
 *   that leaves a keyword out would generate what no sender sends.
 */
function arbitraryOfSchema(
  fc: typeof FastCheck,
  schema: JudgedSchema,
): FastCheck.Arbitrary<unknown> {
  const of = (inner: JudgedSchema): FastCheck.Arbitrary<unknown> => arbitraryOfSchema(fc, inner);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map(of));
  if ("const" in schema) return fc.constant(schema.const);
  const values = schema.enum ?? schema.openEnum;
  if (values !== undefined) return fc.constantFrom(...values);

  const types = [schema.type ?? []].flat();
  if (types.includes("null")) {
    const others = types.filter((type) => type !== "null");
    return fc.option(of({ ...schema, type: others }), { nil: null });
  }
  switch (types.join(" or ")) {
    case "object":
      return objectOf(fc, schema);
    case "string":
      return textOf(fc, schema);
    case "number":
      return numberOf(fc, schema);
    case "boolean":
      return fc.boolean();
    default:
      throw unsupported(schema);
  }
}

function objectOf(fc: typeof FastCheck, schema: JudgedSchema): FastCheck.Arbitrary<unknown> {
  if (schema.additionalProperties !== false) throw unsupported(schema);
  const members = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, arbitraryOfSchema(fc, member)] as const,
  );
  return fc.record(Object.fromEntries(members), {
    requiredKeys: [...(schema.required ?? [])],
    noNullPrototype: true,
  });
}

/** Lengths are counted in code points, as JSON Schema does. */
function textOf(fc: typeof FastCheck, schema: JudgedSchema): FastCheck.Arbitrary<string> {
  const { minLength = 0, maxLength, pattern, format } = schema;
  if (format === "date-time") return timestamps(fc);
  if (format !== undefined || maxLength === undefined) throw unsupported(schema);
  if (pattern === undefined) return fc.string({ unit: anyCharacter(fc), minLength, maxLength });
  return fc.stringMatching(new RegExp(pattern, "u"), { maxLength }).filter((text) => {
    const { length } = Array.from(text);
    return minLength <= length && length <= maxLength;
  });
}

/** Every code point but surrogates, as in `binary` of fast-check, which takes seconds to build. */
const anyCharacter = (fc: typeof FastCheck): FastCheck.Arbitrary<string> =>
  fc
    .integer({ min: 0, max: 0x10_ffff - 0x800 })
    .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));

/** `YYYY-MM-DDTHH:mm:ss.SSSZ` (S 2.3): the years that four digits can write. */
const timestamps = (fc: typeof FastCheck): FastCheck.Arbitrary<string> =>
  fc
    .date({
      min: new Date("0000-01-01T00:00:00.000Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());

/** Multiples of a power of ten, drawn as integers: a sum of binary fractions would be no multiple. */
function numberOf(fc: typeof FastCheck, schema: JudgedSchema): FastCheck.Arbitrary<number> {
  const { minimum, maximum, multipleOf } = schema;
  const digits = /^0\.(0*)1$/.exec(String(multipleOf))?.[1]?.length;
  if (digits === undefined || minimum === undefined || maximum === undefined)
    throw unsupported(schema);
  const places = digits + 1;
  return fc
    .bigInt({ min: scaled(minimum, places), max: scaled(maximum, places) })
    .map((units) => Number(`${String(units)}e-${String(places)}`));
}

/** The number's own text, as an integer of its last place. */
function scaled(value: number, places: number): bigint {
  const [whole = "", fraction = ""] = String(value).split(".");
  return BigInt(whole + fraction.padEnd(places, "0").slice(0, places));
}

const unsupported = (schema: JudgedSchema): TypeError =>
  new TypeError(`no arbitrary for a schema with ${Object.keys(schema).join(", ") || "no keyword"}`);
