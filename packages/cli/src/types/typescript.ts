import { type JsonSchema, nameOf, typesOf, valuesOf } from "@countersign/contract-kit/documents";
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { commentOf, type Language, namesOf, oneFile, quoted } from "./language.ts";
import { isDecimal, type TypesModel } from "./types-model.ts";

/** Name and declaration of the amount's type. */
export interface AmountType {
  readonly name: string;
  readonly declaration: string;
}

const decimal: AmountType = {
  name: "Decimal",
  declaration: `/**
 * An exact decimal: an integer, or the text of any other number, such as "10.50". Read \`String(decimal)\` with a decimal
 * library. Members of type \`number\` are integers. An integer beyond 2^53 is its text, also in these.
 */
export type Decimal = number | string;`,
};

/** Types, their union and a function that parses a body and keeps its decimals exact. */
export const typescript: Language = {
  isFolder: false,
  comment: "//",
  print: async (model) => oneFile(await typescriptTypes(model, decimal), parser(model)),
};

/** The types of the events, their union and their map by types, with the category of events whose body does not say it. */
export async function typescriptTypes(
  model: TypesModel,
  amount: AmountType,
  categoryOf: (type: string) => string | undefined = () => undefined,
): Promise<string> {
  const printed: string[] = [];
  for (const [name, schema] of model.types) {
    const options = { bannerComment: "", additionalProperties: false, ignoreMinAndMaxItems: true };
    // oxlint-disable-next-line no-await-in-loop -- each of hundreds holds its own copies
    const text = await compile(typed(schema, model, amount.name), name, options);
    printed.push(readonly(text).trim());
  }
  const hasAmounts = printed.some((text) => new RegExp(`\\b${amount.name}\\b`).test(text));
  return [...(hasAmounts ? [amount.declaration] : []), ...printed, unions(model, categoryOf)].join(
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
    .replaceAll(/([:|] )(\([^()]*\)|\w+)\[\]/g, "$1readonly $2[]");

const STRUCTURE = "$ref type properties items enum const oneOf anyOf allOf".split(" ");

/** A schema with what a type can say. A reference is the name of a type, since each is printed on its own. */
function typed(schema: JsonSchema, model: TypesModel, amount: string): JSONSchema {
  const inner = (part: JsonSchema): JSONSchema => typed(part, model, amount);
  const { properties, patternProperties = {}, additionalProperties: others } = schema;
  const { items, prefixItems = [] } = schema;
  const description = commentOf(schema);
  const described = description === "" ? {} : { description };
  if (schema.$ref !== undefined)
    return { ...described, tsType: model.typeNames.get(nameOf(schema.$ref)) ?? "unknown" };
  const open = openList(schema)?.map((one) => JSON.stringify(one));
  if (open !== undefined) return { ...described, tsType: [...open, "(string & {})"].join(" | ") };
  const types = typesOf(schema);
  if (isDecimal(schema)) {
    if (types.length === 1) return { ...described, tsType: amount };
    return { ...described, anyOf: types.map((type) => inner({ ...schema, type })) };
  }
  const kinds = (list: readonly JsonSchema[] = []): JSONSchema[] =>
    list.filter((kind) => STRUCTURE.some((keyword) => keyword in kind)).map(inner);
  const union = kinds([...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]);
  if (union.length > 0 && properties === undefined) {
    const absent = types.includes("null") ? [{ type: "null" as const }] : [];
    return { ...described, anyOf: [...union, ...absent] };
  }
  const other = typeof others === "object" ? [others] : [];
  const parts = [...Object.values(patternProperties), ...other].map(inner);
  const isMap = parts.length === 0 && properties === undefined && others !== false;
  const all = kinds(schema.allOf);
  const list = [...prefixItems, ...(items === undefined ? [] : [items])].map(inner);
  const values = valuesOf(schema);
  return {
    ...described,
    ...(schema.deprecated === true && { deprecated: true }),
    ...(types.length > 0 && { type: types.length === 1 ? types[0] : [...types] }),
    ...(values !== undefined && { enum: [...values] as JSONSchema["enum"] & object }),
    ...(all.length > 0 && { allOf: all }),
    ...(union.length > 0 && { anyOf: union }),
    ...(list.length > 0 && { items: list.length === 1 ? list[0] : { anyOf: list } }),
    ...((properties !== undefined || types.includes("object")) && {
      properties: Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, member]) => [name, inner(member)]),
      ),
      required: (schema.required ?? []).filter((name) => properties?.[name] !== undefined),
      additionalProperties: parts.length === 0 ? isMap : { anyOf: parts },
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

function unions(model: TypesModel, categoryOf: (type: string) => string | undefined): string {
  const names = namesOf(model).map((name) => `  | ${name}`);
  const rows = model.events.map(({ type, name }) => {
    const category = categoryOf(type);
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

const parser = ({ typePath, events }: TypesModel): string => {
  const [given, type, result] =
    typePath === undefined
      ? ["type: string, body: string", "type", "{ type, body: event }"]
      : ["body: string", `event${typePath.map((name) => `?.[${quoted(name)}]`).join("")}`, "event"];
  return `const types: ReadonlySet<unknown> = new Set([
${events.map((event) => `  ${quoted(event.type)},`).join("\n")}
]);

/**
 * Parses a body whose signature has been verified. Returns \`undefined\` for an unknown type: providers add
 * types. The event is not validated.
 *
 * @throws {SyntaxError} the body is not JSON.
 * @throws {TypeError} JSON.parse of this engine does not pass on a number's text (Node before 21).
 */
export function parseEvent(${given}): WebhookEvent | undefined {
  const event = JSON.parse(body, exact) as Parsed;
  if (!types.has(${type})) return undefined;
  return ${result} as unknown as WebhookEvent;
}

type Parsed = { [member: string]: Parsed } | null | undefined;

/** Leaves integers up to 2^53, and replaces every other number by its text. */
function exact(_name: string, value: unknown, ...more: unknown[]): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const [context] = more as [{ readonly source?: string }?];
  if (context?.source === undefined) throw new TypeError("JSON.parse must give source texts, as of Node.js 21");
  return context.source;
}`;
};
