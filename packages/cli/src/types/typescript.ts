import { type JsonSchema, nameOf, typesOf } from "@countersign/contract-kit/documents";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { EACH, shapesOf } from "./decimals.ts";
import { commentOf, type Language, namesOf, oneFile, quoted } from "./language.ts";
import { isDecimal, type TypesModel, valuesOf } from "./types-model.ts";

/** Name and declaration of the amount's type. */
export interface AmountType {
  readonly name: string;
  readonly declaration: string;
}

const decimalText: AmountType = {
  name: "DecimalText",
  declaration: `/**
 * A decimal as it stood in the body, such as "10.50": exact, where a number would be a binary fraction.
 * Read it with a decimal library. Members of type \`number\` are integers.
 */
export type DecimalText = string;`,
};

/** Types, their union and a function that parses a body and keeps its decimals' text. */
export const typescript: Language = {
  isFolder: false,
  comment: "//",
  print: async (model) => oneFile(await typescriptTypes(model, decimalText), parser(model)),
};

/**
 * The types of the events, their union and their map by types.
 *
 * @param categories By types: a handler of a category gets events that say theirs, also where no body has it.
 */
export async function typescriptTypes(
  model: TypesModel,
  amount: AmountType,
  categories: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const printed: string[] = [];
  for (const [name, schema] of model.types) {
    const options = { bannerComment: "", additionalProperties: false, ignoreMinAndMaxItems: true };
    // oxlint-disable-next-line no-await-in-loop -- each of hundreds holds its own copies
    const text = await compile(typed(schema, model, amount.name), name, options);
    printed.push(readonly(text).trim());
  }
  const hasAmounts = printed.some((text) => new RegExp(`\\b${amount.name}\\b`).test(text));
  return [...(hasAmounts ? [amount.declaration] : []), ...printed, unions(model, categories)].join(
    "\n\n",
  );
}

/** Makes every member and list readonly. */
export const readonly = (text: string): string =>
  text
    .replaceAll(
      /^( +)(?!readonly )("(?:[^"\\]|\\.)*"\??:|[$\w]+\??:|\[k: string\]:)/gm,
      "$1readonly $2",
    )
    .replaceAll(/: (\([^()]*\)|\w+)\[\]/g, ": readonly $1[]");

const STRUCTURE = [
  "$ref",
  "type",
  "properties",
  "items",
  "enum",
  "const",
  "oneOf",
  "anyOf",
  "allOf",
];

/** A schema with what a type can say. A reference is the name of a type, since each is printed on its own. */
function typed(schema: JsonSchema, model: TypesModel, amount: string): JSONSchema {
  const inner = (part: JsonSchema): JSONSchema => typed(part, model, amount);
  const { properties, patternProperties = {}, additionalProperties: others } = schema;
  const { items, prefixItems = [] } = schema;
  const description = commentOf(schema);
  const told = description === "" ? {} : { description };
  if (schema.$ref !== undefined)
    return { ...told, tsType: model.typeNames.get(nameOf(schema.$ref)) ?? "unknown" };
  const open = openList(schema);
  if (open !== undefined)
    return {
      ...told,
      tsType: [...open.map((one) => JSON.stringify(one)), "(string & {})"].join(" | "),
    };
  const types = typesOf(schema);
  if (isDecimal(schema)) {
    if (types.length === 1) return { ...told, tsType: amount };
    return { ...told, anyOf: types.map((type) => inner({ ...schema, type })) };
  }
  const kinds = (list: readonly JsonSchema[] = []): JSONSchema[] =>
    list.filter((kind) => STRUCTURE.some((keyword) => keyword in kind)).map(inner);
  const union = kinds([...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]);
  if (union.length > 0 && properties === undefined) {
    const isNull = typesOf(schema).includes("null");
    return { ...told, anyOf: [...union, ...(isNull ? [{ type: "null" as const }] : [])] };
  }
  const parts = [
    ...Object.values(patternProperties),
    ...(typeof others === "object" ? [others] : []),
  ];
  const isMap = parts.length === 0 && properties === undefined && others !== false;
  const all = kinds(schema.allOf);
  const list = [...prefixItems, ...(items === undefined ? [] : [items])];
  const values = valuesOf(schema);
  return {
    ...told,
    ...(schema.deprecated === true && { deprecated: true }),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : [...types] }),
    ...(values !== undefined && { enum: [...values] as JSONSchema["enum"] & object }),
    ...(all.length > 0 && { allOf: all }),
    ...(union.length > 0 && { anyOf: union }),
    ...(list.length > 0 && {
      items: list.length === 1 ? inner(list[0] ?? {}) : { anyOf: list.map(inner) },
    }),
    ...((properties !== undefined || types.includes("object")) && {
      properties: Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, member]) => [name, inner(member)]),
      ),
      required: (schema.required ?? []).filter((name) => properties?.[name] !== undefined),
      additionalProperties: parts.length === 0 ? isMap : { anyOf: parts.map(inner) },
    }),
  };
}

/** The known values of a list of texts that others may be added to: marked as open, or next to any text. */
function openList(schema: JsonSchema): readonly unknown[] | undefined {
  if (schema["x-open"] === true) return valuesOf(schema);
  const kinds = schema.anyOf ?? [];
  const lists = kinds.flatMap((kind) => valuesOf(kind) ?? []);
  const isText = (kind: JsonSchema): boolean =>
    kind.type === "string" && valuesOf(kind) === undefined;
  const isKnown = kinds.every((kind) => isText(kind) || valuesOf(kind) !== undefined);
  return kinds.some(isText) && isKnown && lists.length > 0 ? lists : undefined;
}

function unions(model: TypesModel, categories: ReadonlyMap<string, string>): string {
  const names = namesOf(model).map((name) => `  | ${name}`);
  const rows = model.events.map(({ type, name }) => {
    const category = categories.get(type);
    const isSaid = model.types.get(name)?.properties?.["category"] !== undefined;
    const more =
      category === undefined || isSaid ? "" : ` & { readonly category: ${quoted(category)} }`;
    return `  readonly ${quoted(type)}: ${name}${more};`;
  });
  const union =
    model.typePath === undefined
      ? `/** Every event with its type. */
export type WebhookEvent = {
  readonly [Type in keyof EventTypeMap]: { readonly type: Type; readonly body: EventTypeMap[Type] };
}[keyof EventTypeMap];`
      : `/** Every event; \`${commentOf({ description: model.typePath.join(".") })}\` discriminates. */
export type WebhookEvent =\n${names.join("\n")};`;
  return `${union}

/** Events by type. */
export type EventTypeMap = {
${rows.join("\n")}
};`;
}

function parser(model: TypesModel): string {
  const { typePath: path, events } = model;
  const shapes = shapesOf(model);
  const hasDecimals = shapes.size > 0;
  const rows = events.map(({ type, name }) =>
    hasDecimals
      ? `  [${quoted(type)}, ${shapes.has(name) ? quoted(name) : "0"}],`
      : `  ${quoted(type)},`,
  );
  const [given, type, result] =
    path === undefined
      ? ["type: string, body: string", "type", "{ type, body: event }"]
      : ["body: string", `event${path.map((name) => `?.[${quoted(name)}]`).join("")}`, "event"];
  const head = (known: string): string => `${known}
${rows.join("\n")}
]);

/**
 * Parses a body whose signature has been verified. Returns \`undefined\` for an unknown type: providers add
 * types. The event is not validated.
 *
 * @throws {SyntaxError} the body is not JSON.${hasDecimals ? NEEDS_TEXTS : ""}
 */
export function parseEvent(${given}): WebhookEvent | undefined {`;
  if (!hasDecimals)
    return `${head("const types: ReadonlySet<unknown> = new Set([")}
  const event = JSON.parse(body) as Parsed;
  if (!types.has(${type})) return undefined;
  return ${result} as unknown as WebhookEvent;
}

type Parsed = { [member: string]: Parsed } | null | undefined;`;
  const table = [...shapes].map(([name, shape]) => `  ${name}: ${JSON.stringify(shape)},`);
  return `/**
 * The decimals of types: 1 is one, 0 is none, a text is a type's name, a list has all forms of a union, and "${EACH}" is every
 * item or other member.
 */
type Shape = 0 | 1 | string | readonly Shape[] | { readonly [member: string]: Shape };
const shapes: { readonly [type: string]: Shape } = {
${table.join("\n")}
};
${head("const types: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([")}
  const texts: Texts = new Map();
  const event = JSON.parse(body, function (this: unknown, name: string, value: unknown, ...more: unknown[]) {
    const [context] = more as [{ readonly source?: string }?];
    const members = texts.get(this) ?? new Map<string, string | undefined>();
    if (typeof value === "number") texts.set(this, members.set(name, context?.source));
    return value;
  }) as Parsed;
  const shape = types.get(${type});
  if (shape === undefined) return undefined;
  keepTexts({ event }, "event", shape, texts);
  return ${result} as unknown as WebhookEvent;
}

${KEEP_TEXTS}`;
}

const NEEDS_TEXTS = `
 * @throws {TypeError} JSON.parse of this engine does not pass on a number's text (Node before 21).`;

const KEEP_TEXTS = `type Parsed = { [member: string]: Parsed } | null | undefined;

/** The texts of numbers by the objects and arrays that hold them. */
type Texts = Map<unknown, Map<string, string | undefined>>;

/** Replaces the decimals of a member by their texts. */
function keepTexts(holder: { [member: string]: Parsed }, name: string, shape: Shape, texts: Texts): void {
  const value: unknown = holder[name];
  if (typeof shape === "string") keepTexts(holder, name, shapes[shape] ?? 0, texts);
  else if (shape === 1 && typeof value === "number") {
    const text = texts.get(holder)?.get(name);
    if (text === undefined) throw new TypeError("JSON.parse must give source texts, as of Node.js 21");
    holder[name] = text as unknown as Parsed;
  } else if (Array.isArray(shape)) {
    for (const form of shape as readonly Shape[]) keepTexts(holder, name, form, texts);
  } else if (typeof shape === "object" && typeof value === "object" && value !== null) {
    const form = shape as { readonly [member: string]: Shape };
    for (const member of Object.keys(value)) {
      const part = Object.hasOwn(form, member) ? form[member] : form["${EACH}"];
      keepTexts(value as { [member: string]: Parsed }, member, part ?? 0, texts);
    }
  }
}`;
