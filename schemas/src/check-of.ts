import { fault } from "./fault.ts";
import { formats } from "./formats.ts";
import { lengthOf } from "./length-of.ts";
import type { RawError, RawValidator } from "./validator.ts";

type Kind = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** What judges in a schema of the subset. */
export interface JudgedSchema {
  readonly type: Kind | readonly Kind[];
  readonly const?: string;
  readonly enum?: readonly unknown[];
  /** Values that a writer sends; a reader takes others too. */
  readonly openEnum?: readonly unknown[];
  readonly format?: keyof typeof formats;
  readonly properties?: Readonly<Record<string, JudgedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  /**
   * The member that tells the kinds of `oneOf` apart, by the `const` that each has for it; one kind may
   * have an `openEnum` in its place, and is that of every other value.
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
}

/**
 * The check of a schema, judged as it is read: a tenth of the generated code's length, for what is
 * judged once in a process's life.
 */
export function checkOf(schema: JudgedSchema): RawValidator {
  const check: RawValidator = (value) => {
    const faults: RawError[] = [];
    judge(schema, value, "", faults);
    check.errors = faults.length === 0 ? null : faults;
    return faults.length === 0;
  };
  return check;
}

function judge(schema: JudgedSchema, value: unknown, path: string, faults: RawError[]): void {
  const refuse = (keyword: string, params: RawError["params"]): void => {
    fault(faults, path, keyword, params);
  };
  const { type, enum: allowedValues, openEnum } = schema;
  if (![type].flat().some((kind) => isOf(kind, value))) refuse("type", { type });
  if (schema.const !== undefined && value !== schema.const)
    refuse("const", { allowedValue: schema.const });
  if (allowedValues !== undefined && !allowedValues.includes(value))
    refuse("enum", { allowedValues });
  if (openEnum !== undefined && !openEnum.includes(value))
    refuse("openEnum", { allowedValues: openEnum });
  if (typeof value === "string") judgeText(schema, value, refuse);
  else if (typeof value === "number" && Number.isFinite(value)) {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (value > maximum) refuse("maximum", { limit: maximum });
    if (value < minimum) refuse("minimum", { limit: minimum });
  } else if (Array.isArray(value)) {
    const { items, minItems = 0, maxItems = Infinity } = schema;
    if (value.length > maxItems) refuse("maxItems", { limit: maxItems });
    if (value.length < minItems) refuse("minItems", { limit: minItems });
    if (items !== undefined)
      for (const [index, item] of value.entries())
        judge(items, item, `${path}/${String(index)}`, faults);
  } else if (isObject(value)) judgeMembers(schema, value, path, faults);
}

type Refuse = (keyword: string, params: RawError["params"]) => void;

function judgeText(schema: JudgedSchema, text: string, refuse: Refuse): void {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const length = lengthOf(text);
  if (length > maxLength) refuse("maxLength", { limit: maxLength });
  if (length < minLength) refuse("minLength", { limit: minLength });
  if (pattern !== undefined && !new RegExp(pattern, "u").test(text)) refuse("pattern", { pattern });
  if (format !== undefined && !formats[format](text)) refuse("format", { format });
}

function judgeMembers(
  schema: JudgedSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
  faults: RawError[],
): void {
  const { required = [], properties = {}, discriminator, oneOf = [] } = schema;
  for (const missingProperty of required)
    if (value[missingProperty] === undefined) fault(faults, path, "required", { missingProperty });
  if (schema.additionalProperties === false)
    for (const additionalProperty of Object.keys(value))
      if (!Object.hasOwn(properties, additionalProperty))
        fault(faults, path, "additionalProperties", { additionalProperty });
  for (const [name, member] of Object.entries(properties))
    if (value[name] !== undefined) judge(member, value[name], `${path}/${escaped(name)}`, faults);
  if (discriminator === undefined) return;
  const tag = discriminator.propertyName;
  const kind =
    oneOf.find(({ properties: own }) => own?.[tag]?.const === value[tag]) ??
    oneOf.find(({ properties: own }) => own?.[tag]?.openEnum !== undefined);
  if (kind !== undefined) judge(kind, value, path, faults);
  else {
    const error = typeof value[tag] === "string" ? "mapping" : "tag";
    fault(faults, path, "discriminator", { error, tag });
  }
}

/** A member's name in a JSON Pointer (RFC 6901 section 3). */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isOf(type: Kind, value: unknown): boolean {
  switch (type) {
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
      return typeof value === type;
    case "null":
      return value === null;
    default:
      return type satisfies never;
  }
}
