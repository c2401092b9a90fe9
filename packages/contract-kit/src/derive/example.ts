import { DocumentError } from "../documents/document-error.ts";
import { typesOf } from "../documents/json-schema.ts";
import { isRecord } from "../values.ts";
import { DEEP, someValue } from "./arbitrary.ts";
import { formats } from "./formats.ts";
import { inside, itemsOf, type LocatedSchema, membersOf, resolve, wholeKindsOf } from "./schema.ts";
import { accepts } from "./validity.ts";

export interface ExampleOptions {
  /** Optional members: present or absent. */
  readonly optional: "present" | "absent";
}

/**
 * One valid value, always the same: the document's example as far as possible, filled up or thinned out to `optional`.
 *
 * @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`: no value was found that the schema accepts.
 */
export function example(located: LocatedSchema, options: ExampleOptions): unknown {
  const fewest = (): unknown => plainExample(located, { optional: "absent" });
  const value = plainExample(located, options) ?? fewest() ?? someValue(located);
  if (value !== undefined) return value;
  const { place } = resolve(located);
  throw new DocumentError("CS_DOCUMENT_NO_VALUE", `${place}: no value found that it accepts`);
}

/** An example that is found without a search. */
export function plainExample(located: LocatedSchema, { optional }: ExampleOptions): unknown {
  const value = valueOf(located, { isFull: optional === "present", left: { values: MOST } }, []);
  return value !== undefined && accepts(located, value) ? value : undefined;
}

/** Keywords that may refuse an object that has all its members. */
const EXCLUDING = [
  "not",
  "allOf",
  "if",
  "dependentRequired",
  "dependentSchemas",
  "maxProperties",
] as const;

/** Values of an example with all members: with more, a wide document would have examples of gigabytes. */
const MOST = 20_000;

interface Making {
  /** True to make optional members too. */
  readonly isFull: boolean;
  /** Values until only required members are made. */
  readonly left: { values: number };
}

/** `undefined` if a value would have to contain itself. `hint` is the value of an example around it. */
function valueOf(
  located: LocatedSchema,
  making: Making,
  above: readonly string[],
  hint?: unknown,
): unknown {
  const { isFull, left } = making;
  left.values -= 1;
  const at = resolve(located);
  if (above.includes(at.place)) return undefined;
  const path = [...above, at.place];
  const wish = hint ?? at.schema.examples?.find((one) => accepts(at, one));
  const kinds = wholeKindsOf(at);
  if (kinds.length > 0) {
    const wished = kinds.find((kind) => wish !== undefined && accepts(kind, wish));
    if (wished !== undefined) return valueOf(wished, making, path, wish);
    // `oneOf` refuses a value of two kinds: with all members, many have two.
    const isFree = (["oneOf", ...EXCLUDING] as const).every(
      (keyword) => at.schema[keyword] === undefined,
    );
    for (const isFullKind of new Set([isFull, false]))
      for (const kind of kinds) {
        const value = valueOf(kind, { ...making, isFull: isFullKind }, path);
        if (value !== undefined && (isFree || accepts(at, value))) return value;
      }
    return undefined;
  }
  const [type] = typesOf(at.schema);
  if (type === "object" && at.schema.properties !== undefined) {
    const value = recordOf(at, making, path, wish);
    const isFree = !isFull || EXCLUDING.every((keyword) => at.schema[keyword] === undefined);
    return isFree || accepts(at, value)
      ? value
      : recordOf(at, { ...making, isFull: false }, path, wish);
  }
  const { additionalProperties: others } = at.schema;
  if (type === "object" && typeof others === "object" && wish === undefined && !accepts(at, {}))
    return mapOf(inside(at, others, "additionalProperties"), at, making, path) ?? plainValue(at);
  const items = itemsOf(at);
  if (type !== "array" || items === undefined) return wish ?? plainValue(at);
  const { minItems = 1 } = at.schema;
  const item = valueOf(items, making, path, Array.isArray(wish) ? wish[0] : undefined);
  if (item === undefined) return minItems > 1 ? undefined : [];
  return minItems > 100 ? undefined : Array.from({ length: Math.max(1, minItems) }, () => item);
}

/** A map that may not be empty. Searching for one takes minutes where its values are large. */
function mapOf(
  others: LocatedSchema,
  at: LocatedSchema,
  making: Making,
  path: readonly string[],
): unknown {
  const value = valueOf(others, making, path);
  const names = Array.from({ length: Math.min(at.schema.minProperties ?? 1, 100) }, (_, index) =>
    index === 0 ? "example" : `example${index + 1}`,
  );
  const map = Object.fromEntries(names.map((name) => [name, value]));
  return value !== undefined && accepts(at, map) ? map : undefined;
}

function recordOf(
  at: LocatedSchema,
  making: Making,
  path: readonly string[],
  wish: unknown,
): unknown {
  const { required = [], properties = {}, additionalProperties: others } = at.schema;
  // Some documents forget to describe a required member.
  const forgotten = required.filter((name) => !Object.hasOwn(properties, name));
  const unlisted = inside(at, typeof others === "object" ? others : {}, "additionalProperties");
  const hints = isRecord(wish) ? wish : {};
  const members = [...membersOf(at), ...forgotten.map((name) => [name, unlisted] as const)]
    .filter(
      ([name]) =>
        required.includes(name) || (making.isFull && making.left.values > 0 && path.length <= DEEP),
    )
    .map(([name, member]) => {
      const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
      return [name, valueOf(member, making, path, hint)] as const;
    });
  const made = members.filter(([, value]) => value !== undefined);
  const names = new Set(made.map(([name]) => name));
  return required.every((name) => names.has(name)) ? Object.fromEntries(made) : undefined;
}

/** A readable word if the schema accepts it, else a value from a fixed seed; `undefined` if no value was found. */
function plainValue(at: LocatedSchema): unknown {
  const { schema } = at;
  if ("const" in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const { minLength = 1, minimum, maximum, format = "" } = schema;
  const length = Math.min(minLength, 1000);
  const texts = [formats["uri"], formats["email"], formats["date-time"]].map((one) => one?.example);
  const types = typesOf(schema);
  const candidates: readonly unknown[] =
    types.length === 0 || types.includes("string")
      ? [formats[format]?.example, "example", "a".repeat(length), "1".repeat(length), ...texts]
      : [true, 1, minimum, maximum, {}, [], null];
  return candidates.find((one) => one !== undefined && accepts(at, one)) ?? someValue(at);
}
