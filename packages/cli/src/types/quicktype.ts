import { isDeepStrictEqual } from "node:util";
import {
  type JsonSchema,
  namedTypes,
  nameOf,
  resolved,
  typesOf,
  valuesOf,
} from "@countersign/contract-kit/documents";
import {
  FetchingJSONSchemaStore,
  InputData,
  JSONSchemaInput,
  type LanguageName,
  quicktypeMultiFile,
  type RendererOptions,
} from "quicktype-core";
import { badArgument } from "../failure.ts";
import { commentOf } from "./language.ts";
import { pascalCase, type TypesModel } from "./types-model.ts";

/** Prints the types of a model with quicktype, as files. @param member Matches the names of members that the language can have. */
export async function printTypes<Lang extends LanguageName>(
  model: TypesModel,
  lang: Lang,
  rendererOptions: Partial<RendererOptions<Lang>>,
  member: RegExp = /^/,
): Promise<ReadonlyMap<string, string>> {
  // The store is never used: every reference stays in the document.
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
  const schema = JSON.stringify({ definitions: plainSchemas(model, member) });
  // Each by itself: of a union quicktype makes one type in which everything is optional.
  await input.addSource({ name: "events", schema, uris: ["#/definitions/"] });
  const inputData = new InputData();
  inputData.addInput(input);
  const outputFilename = "events";
  const options = { inputData, lang, rendererOptions, outputFilename, leadingComments: [] };
  const printed = await quicktypeMultiFile<Lang>(options);
  return new Map([...printed].map(([name, { lines }]) => [name, `${lines.join("\n").trim()}\n`]));
}

/** Names of types as a language writes them, such as `PaymentIDChangedEvent`. */
export function renamed(model: TypesModel, text: string): TypesModel {
  const declared = new Map(
    Array.from(text.matchAll(/^(?:public )?(?:class|type) (\w+)/gm), ([, name = ""]) => [
      name.toLowerCase(),
      name,
    ]),
  );
  const events = model.events.map(({ type, name }) => ({
    type,
    name: declared.get(name.toLowerCase()) ?? name,
  }));
  return { ...model, events };
}

/** Replaces in lines of code, and leaves the lines of comments as they are. */
export const inCode = (text: string, comment: RegExp, from: RegExp, to: string): string =>
  text
    .split("\n")
    .map((line) => (comment.test(line) ? line : line.replaceAll(from, to)))
    .join("\n");

type Plain = Readonly<Record<string, unknown>>;
const ANY: Plain = {};
const doc = (description: string): Plain => (description === "" ? {} : { description });
const refTo = (name: string): Plain => ({ $ref: `#/definitions/${name}` });

/**
 * The types in the part of JSON Schema that every language has: objects, lists, maps and single values, each object with a
 * name. A list of values is a text whose documentation has them, so that other values are accepted; objects of
 * several kinds are one object with the members of all, and other unions are any value.
 */
function plainSchemas({ events, types, typeNames, sources }: TypesModel, named: RegExp): Plain {
  const definitions: Record<string, Plain> = {};
  /** Names of the types of unions, by their kinds: a union's member may lead back to it. */
  const unions = new Map<string, string>();

  const free = (wish: string): string => {
    let name = wish;
    for (let number = 2; name in definitions; number += 1) name = wish + String(number);
    definitions[name] = ANY;
    return name;
  };

  const plain = (schema: JsonSchema, name: string): Plain => {
    const own = schema.$ref === undefined ? undefined : typeNames.get(nameOf(schema.$ref));
    const kinds = kindsOf(schema, sources);
    const values = kinds.filter((kind) => !isNull(kind));
    const value =
      own !== undefined && own in definitions ? refTo(own) : valueOf(values, schema, name);
    return values.length < kinds.length || values.some(acceptsNull) ? nullable(value) : value;
  };

  /** The value of some kinds, of which none is null. */
  const valueOf = (
    kinds: readonly JsonSchema[],
    { description }: JsonSchema,
    name: string,
  ): Plain => {
    const [first = {}, ...more] = kinds;
    if (kinds.every(isObject)) {
      const known = unions.get(JSON.stringify(kinds));
      if (known !== undefined) return refTo(known);
      if (first.properties === undefined) return mapOf(kinds, name);
      const type = free(name);
      unions.set(JSON.stringify(kinds), type);
      definitions[type] = objectOf(kinds, type);
      return refTo(type);
    }
    const all = new Set(kinds.flatMap(typesIn).filter((one) => one !== "null"));
    if (all.has("number")) all.delete("integer");
    const [type] = all;
    if (all.size !== 1 || type === "object") return ANY;
    const text = commentOf({ description: documentation(kinds, description) });
    if (type !== "array") return { type, ...doc(text) };
    const { items, prefixItems } = first;
    const isPlain = more.length === 0 && prefixItems === undefined && items !== undefined;
    return { type, ...doc(text), items: isPlain ? plain(items, name) : ANY };
  };

  const mapOf = (kinds: readonly JsonSchema[], name: string): Plain => {
    const [{ additionalProperties: others, patternProperties } = {}, ...more] = kinds;
    const isPlain =
      more.length === 0 && patternProperties === undefined && typeof others === "object";
    return { type: "object", additionalProperties: isPlain ? plain(others, `${name}Value`) : true };
  };

  const objectOf = (kinds: readonly JsonSchema[], name: string): Plain => {
    const entries = kinds.flatMap(({ properties = {} }) => Object.entries(properties));
    const members = Map.groupBy(
      entries.filter(([member]) => named.test(member)),
      ([member]) => member,
    );
    const properties = [...members].map(([member, list]) => {
      const all = list.map(([, part]) => part);
      const [first = {}, ...more] = all.filter(
        (part, at) => all.findIndex((one) => isDeepStrictEqual(one, part)) === at,
      );
      const { description = "" } = first;
      const whole = more.length === 0 ? first : { description, anyOf: [first, ...more] };
      return [member, plain(whole, memberName(name, member))];
    });
    return {
      type: "object",
      title: name,
      ...doc(commentOf(kinds[0] ?? {})),
      additionalProperties: false,
      required: [...members.keys()].filter((member) =>
        kinds.every(({ required }) => required?.includes(member)),
      ),
      properties: Object.fromEntries(properties),
    };
  };

  // First the names, to which the parts of each may refer.
  const objects = [...types].flatMap(([name, schema]) => {
    const kinds = kindsOf(schema, sources).filter((kind) => !isNull(kind));
    const type = events.find((event) => event.name === name)?.type;
    const isEvent = type !== undefined;
    if (!kinds.every((kind) => isObject(kind) || (isEvent && typesIn(kind).length === 0))) {
      if (!isEvent) return [];
      throw badArgument(
        `the body of event ${type} is not an object: only typescript has a type for it`,
      );
    }
    if (!isEvent && kinds.every(({ properties }) => properties === undefined)) return [];
    definitions[name] = ANY;
    return [{ name, kinds }];
  });
  for (const { name, kinds } of objects) definitions[name] = objectOf(kinds, name);
  return definitions;
}

/** The kinds of a union, each with the members next to the union; of another schema itself. */
function kindsOf(
  schema: JsonSchema,
  sources: TypesModel["sources"],
  above: readonly JsonSchema[] = [],
): readonly JsonSchema[] {
  const target = resolved(schema, sources);
  const { oneOf = [], anyOf = [], ...beside } = target;
  if (above.includes(target)) return [];
  const kinds = [...oneOf, ...anyOf].flatMap((kind) => kindsOf(kind, sources, [...above, target]));
  // Kinds that only demand members say nothing about types.
  const some = kinds.filter((kind) => isNull(kind) || typesIn(kind).length > 0);
  if (some.length === 0) return [target];
  const own = acceptsNull(target) ? [...some, { type: "null" } as const] : some;
  if (beside.properties === undefined) return own;
  return own.map((kind) => ({
    ...kind,
    properties: { ...beside.properties, ...kind.properties },
    required: [...(beside.required ?? []), ...(kind.required ?? [])],
  }));
}

const isNull = (schema: JsonSchema): boolean => typesIn(schema).join() === "null";
const acceptsNull = (schema: JsonSchema): boolean =>
  typesOf(schema).includes("null") || (schema.enum?.includes(null) ?? false);

/** The types that a schema names, or those of its values or members. */
function typesIn(schema: JsonSchema): readonly string[] {
  const isTyped = schema.type !== undefined || schema.properties === undefined;
  return isTyped ? namedTypes(schema) : ["object"];
}

const isObject = (schema: JsonSchema): boolean =>
  typesIn(schema)
    .filter((type) => type !== "null")
    .join() === "object";

function nullable(value: Plain): Plain {
  if (typeof value["type"] === "string") return { ...value, type: [value["type"], "null"] };
  return value === ANY ? ANY : { anyOf: [value, { type: "null" }] };
}

/** A description with the values that it does not name itself. */
function documentation(kinds: readonly JsonSchema[], description: string | undefined): string {
  const text = description || (kinds[0]?.description ?? "");
  if (!kinds.every((kind) => valuesOf(kind) !== undefined)) return text;
  const values = [...new Set(kinds.flatMap((kind) => valuesOf(kind) ?? []))].map(String);
  if (values.every((value) => text.includes(value))) return text;
  const only = kinds.every((kind) => kind["x-open"] !== true) && values.length === 1;
  return `${text} ${only ? `Always ${values.join()}.` : `Known values: ${values.join(", ")}.`}`.trim();
}

/** `RefundFailedEvent` and `data` are `RefundFailedData`. */
function memberName(owner: string, member: string): string {
  const [prefix, name] = [owner.replace(/Event$/, ""), pascalCase(member)];
  return name.startsWith(prefix) ? name : prefix + name;
}
