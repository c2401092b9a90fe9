import { formats } from "./formats.ts";
import { lengthOf } from "./length-of.ts";

type Kind = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A schema of the subset, without references. */
export interface JudgedSchema {
  readonly type: Kind | readonly Kind[];
  readonly const?: string;
  readonly enum?: readonly unknown[];
  /** Values that a writer sends; a reader accepts others too. */
  readonly openEnum?: readonly unknown[];
  readonly format?: keyof typeof formats;
  readonly properties?: Readonly<Record<string, JudgedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /**
   * The member that distinguishes the kinds of `oneOf` by their `const`. One kind may have an `openEnum`
   * instead and then matches every other value.
   */
  readonly discriminator?: { readonly propertyName: string };
  readonly oneOf?: readonly JudgedSchema[];
  readonly items?: JudgedSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Not validated: in binary fractions 1.13 is not a multiple of 0.01. Amounts are validated on their source text. */
  readonly multipleOf?: number;
  /** Not judged. */
  readonly examples?: readonly unknown[];
}

/** An error in a value. It omits the value, which may be a secret. */
export interface SchemaError {
  /** JSON Pointer (RFC 6901) of the invalid value, or of the missing or unknown member. */
  readonly pointer: string;
  /** The violated keyword of JSON Schema. */
  readonly keyword: string;
  /** The violated rule, as text. */
  readonly message: string;
}

/** Adds the errors of a value to a list. */
export type Judge = (value: unknown, pointer: string, errors: SchemaError[]) => void;

/** A test of a value by itself, for one keyword. */
interface Test {
  readonly keyword: string;
  readonly message: string;
  readonly passes: (value: unknown) => boolean;
}

/**
 * Compiles a schema.
 *
 * @param isReader True to accept members that `additionalProperties: false` excludes, and values that an
 *   `openEnum` does not list: both may be additions of a later version.
 * @throws {SyntaxError} a `pattern` is not a regular expression.
 */
export function judgeOf(schema: JudgedSchema, isReader: boolean): Judge {
  const tests = testsOf(schema, isReader);
  const judgeItem = schema.items === undefined ? undefined : judgeOf(schema.items, isReader);
  const judgeMembers = membersJudge(schema, isReader);
  return (value, pointer, errors) => {
    for (const { keyword, message, passes } of tests)
      if (!passes(value)) errors.push({ pointer, keyword, message });
    if (isObject(value)) judgeMembers(value, pointer, errors);
    else if (judgeItem !== undefined && Array.isArray(value))
      for (const [index, item] of value.entries())
        judgeItem(item, `${pointer}/${String(index)}`, errors);
  };
}

function testsOf(schema: JudgedSchema, isReader: boolean): readonly Test[] {
  const { type, const: only, enum: values, openEnum, pattern, format } = schema;
  const tests: Test[] = [];
  const add = (keyword: string, message: string, passes: Test["passes"]): void =>
    void tests.push({ keyword, message, passes });
  const kinds = [type ?? []].flat();
  if (type !== undefined)
    add("type", `must be ${kinds.join(" or ")}`, (value) =>
      kinds.some((kind) => isOf(kind, value)),
    );
  if (only !== undefined)
    add("const", `must be ${JSON.stringify(only)}`, (value) => value === only);
  for (const list of [values, isReader ? undefined : openEnum])
    if (list !== undefined)
      add("enum", `must be one of ${JSON.stringify(list)}`, (value) => list.includes(value));

  for (const [keyword, bound, unit, sizeOf] of SIZES) {
    const limit = schema[keyword];
    if (limit === undefined) continue;
    add(keyword, `must ${bound} ${String(limit)}${unit}`, (value) => {
      const size = sizeOf(value);
      return size === undefined || (bound.endsWith("most") ? size <= limit : size >= limit);
    });
  }
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, "u");
    add("pattern", `must match ${pattern}`, (value) => !isText(value) || expression.test(value));
  }
  if (format !== undefined) {
    const wanted = { uri: "http or https URL", "date-time": "time as YYYY-MM-DDTHH:mm:ss.SSSZ" };
    add(
      "format",
      `must be a ${wanted[format]}`,
      (value) => !isText(value) || formats[format](value),
    );
  }
  return tests;
}

type Members = Readonly<Record<string, unknown>>;

function membersJudge(
  schema: JudgedSchema,
  isReader: boolean,
): (value: Members, pointer: string, errors: SchemaError[]) => void {
  const { required = [], properties = {}, additionalProperties = true, discriminator } = schema;
  const isClosed = !additionalProperties && !isReader;
  const members = Object.entries(properties).map(
    ([name, member]) => [name, `/${escaped(name)}`, judgeOf(member, isReader)] as const,
  );
  const tag = discriminator?.propertyName;
  const kinds = (schema.oneOf ?? []).map(
    (kind) => [kind.properties?.[tag ?? ""]?.const, judgeOf(kind, isReader)] as const,
  );
  const kindOf = new Map(kinds);
  return (value, pointer, errors) => {
    for (const name of required)
      if (value[name] === undefined)
        errors.push({
          pointer: `${pointer}/${escaped(name)}`,
          keyword: "required",
          message: "is required",
        });
    if (isClosed)
      for (const name of Object.keys(value))
        if (!Object.hasOwn(properties, name))
          errors.push({
            pointer: `${pointer}/${escaped(name)}`,
            keyword: "additionalProperties",
            message: "is not a member of this object",
          });
    for (const [name, step, judge] of members)
      if (value[name] !== undefined) judge(value[name], pointer + step, errors);
    if (tag === undefined) return;
    const named = value[tag];
    // The kind without a `const` is that of every other tag.
    const judge = (isText(named) ? kindOf.get(named) : undefined) ?? kindOf.get(undefined);
    if (judge !== undefined) judge(value, pointer, errors);
    else
      errors.push({
        pointer: `${pointer}/${escaped(tag)}`,
        keyword: isText(named) ? "enum" : "required",
        message: isText(named) ? "is not a known kind" : "is required, as text",
      });
  };
}

/** A member's name in a JSON Pointer (RFC 6901 section 3). */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const isText = (value: unknown): value is string => typeof value === "string";
const sizeOfText = (value: unknown): number | undefined =>
  isText(value) ? lengthOf(value) : undefined;
const sizeOfList = (value: unknown): number | undefined =>
  Array.isArray(value) ? value.length : undefined;
const sizeOfNumber = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;

const SIZES = [
  ["maxLength", "have at most", " characters", sizeOfText],
  ["minLength", "have at least", " characters", sizeOfText],
  ["maxItems", "have at most", " items", sizeOfList],
  ["minItems", "have at least", " items", sizeOfList],
  ["maximum", "be at most", "", sizeOfNumber],
  ["minimum", "be at least", "", sizeOfNumber],
] as const;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOf(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "string":
    case "boolean":
      return typeof value === kind;
    case "null":
      return value === null;
    default:
      return kind satisfies never;
  }
}
