import type { Schema } from "./schema.ts";

/** A body that is right but for one keyword at one place. */
export interface Broken {
  readonly pointer: string;
  readonly keyword: string;
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Of every JSON type one or more, and texts that look like other types. */
const SAMPLES = [null, true, 0, 1.5, "", "1", "null", [], ["x"], {}, { value: 1 }];
/** What texts get wrong: controls, spaces, letters of other alphabets, invisible and bidi characters. */
const CHARACTERS = [
  "\u0000",
  "\n",
  "\r",
  "\u007f",
  "\u0085",
  " ",
  "é",
  "\u{1F600}",
  "\u202e",
  "#",
  "~",
  "/",
];
const NAMES = ["unknown", "toString", "", "a/b~c", "\u{1F600}"];

/**
 * Every way to break one keyword of a schema in a valid value, at every place.
 *
 * @param valid Has every member that is to be broken.
 */
export function brokenBodies(schema: Schema, valid: unknown): Broken[] {
  return broken(schema, valid, "");
}

function broken(schema: Schema, valid: unknown, pointer: string): Broken[] {
  const here = (keyword: string, bodies: readonly unknown[]): Broken[] =>
    bodies.map((body) => ({ pointer, keyword, body }));
  if (schema.oneOf !== undefined) {
    const branch = schema.oneOf.find((one) => isOfBranch(one, valid));
    return branch === undefined ? [] : broken(branch, valid, pointer);
  }
  return [
    ...here(
      "type",
      SAMPLES.filter((sample) => typeOf(sample) !== schema.type),
    ),
    ...(typeof valid === "string"
      ? ofText(schema, valid).flatMap(([word, all]) => here(word, all))
      : []),
    ...(typeof valid === "number"
      ? ofNumber(schema).flatMap(([word, all]) => here(word, all))
      : []),
    ...(Array.isArray(valid) ? ofList(schema, valid, pointer) : []),
    ...(isObject(valid) ? ofObject(schema, valid, pointer) : []),
  ];
}

function isOfBranch({ properties }: Schema, valid: unknown): boolean {
  return isObject(valid) && properties?.["type"]?.const === valid["type"];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

type Ways = readonly (readonly [keyword: string, values: readonly unknown[]])[];

function ofText(schema: Schema, valid: string): Ways {
  const { minLength = 0, maxLength, pattern = "", format } = schema;
  const matches = (text: string): boolean => new RegExp(pattern, "u").test(text);
  const allowed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const longer = valid.padEnd((maxLength ?? 0) + 1, valid.at(-1));
  return [
    [
      "enum",
      allowed === undefined
        ? []
        : [`${valid} `, valid.toLowerCase(), `${valid}\u0000`, "OTHER"].filter(
            (text) => !allowed.includes(text),
          ),
    ],
    ["minLength", minLength === 0 || allowed ? [] : [valid.slice(0, minLength - 1)]],
    ["maxLength", maxLength === undefined ? [] : [longer, longer.repeat(3)]],
    [
      "pattern",
      pattern === ""
        ? []
        : CHARACTERS.flatMap((one) => [one + valid, valid + one]).filter((text) => !matches(text)),
    ],
    ["format", format === "uri" ? ["https://merchant.example:99999/", "https://[::1/"] : []],
  ];
}

function ofNumber({ minimum, maximum, multipleOf }: Schema): Ways {
  return [
    ["minimum", minimum === undefined ? [] : [0, -0, -1, -minimum]],
    ["maximum", maximum === undefined ? [] : [maximum + 0.01, 1e21, Number.MAX_VALUE]],
    ["multipleOf", multipleOf === undefined ? [] : [0.001, 1.005, 10.999]],
  ];
}

function ofList(schema: Schema, valid: readonly unknown[], pointer: string): Broken[] {
  const { minItems = 0, maxItems, items } = schema;
  const [first] = valid;
  const others = valid.slice(1);
  return [
    ...(minItems > 0 ? [{ pointer, keyword: "minItems", body: [] }] : []),
    ...(maxItems === undefined
      ? []
      : [
          { pointer, keyword: "maxItems", body: Array.from({ length: maxItems + 1 }, () => first) },
        ]),
    ...(items === undefined || first === undefined
      ? []
      : broken(items, first, `${pointer}/0`).map((one) => ({
          ...one,
          body: [one.body, ...others],
        }))),
  ];
}

function ofObject(schema: Schema, valid: Json, pointer: string): Broken[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  const at = (name: string): string =>
    `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const missing = required.map((name) => {
    const { [name]: _, ...body } = valid;
    return { pointer: at(name), keyword: "required", body };
  });
  const more = NAMES.map((name) => {
    return { pointer: at(name), keyword: "additionalProperties", body: { ...valid, [name]: 1 } };
  });
  const within = Object.entries(properties).flatMap(([name, one]) =>
    broken(one, valid[name], at(name)).map((member) => {
      return { ...member, body: { ...valid, [name]: member.body } };
    }),
  );
  return [...missing, ...(additionalProperties === false ? more : []), ...within];
}
