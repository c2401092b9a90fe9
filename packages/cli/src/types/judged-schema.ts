import { isDeepStrictEqual } from "node:util";
import type { JudgedSchema } from "@countersign/schemas/reader-of";
import type { Schema, Schemas } from "@countersign/service/internal";
import { resolved } from "./schemas.ts";

/**
 * Merges the schemas of an event's kinds into one for validation, without references and documentation.
 * The member with a different constant in each kind selects the kind.
 */
export function judgedSchema(kinds: readonly Schema[], schemas: Schemas): JudgedSchema {
  return together(kinds.map((kind) => judging(kind, schemas)));
}

const KEPT =
  "const required additionalProperties format pattern minItems maxItems minLength maxLength minimum maximum".split(
    " ",
  );

function judging(schema: Schema, schemas: Schemas): JudgedSchema {
  const whole = resolved(schema, schemas);
  const { type = "object", enum: values, properties, items, oneOf, discriminator } = whole;
  const kept = Object.fromEntries(Object.entries(whole).filter(([name]) => KEPT.includes(name)));
  const tag = (discriminator as { readonly propertyName?: string } | undefined)?.propertyName;
  // The schemas are of the subset that a judged one has.
  return {
    type,
    ...kept,
    ...(tag !== undefined && { discriminator: { propertyName: tag } }),
    ...(values !== undefined && { [whole["x-open"] === true ? "openEnum" : "enum"]: values }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, judging(member, schemas)]),
      ),
    }),
    ...(items && { items: judging(items, schemas) }),
    ...(oneOf && { oneOf: oneOf.map((kind) => judging(kind, schemas)) }),
  } as JudgedSchema;
}

function together(all: readonly JudgedSchema[]): JudgedSchema {
  const kinds = all.filter(
    (kind, index) => all.findIndex((other) => isDeepStrictEqual(other, kind)) === index,
  );
  const [first = { type: "object" }] = kinds;
  if (kinds.length < 2) return first;
  const names = [...new Set(kinds.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const tag = names.find((name) => tellsApart(name, kinds));
  if (tag !== undefined) return toldApart(tag, kinds);
  if (first.properties === undefined)
    return { type: [...new Set(kinds.flatMap(({ type }) => type))] };
  const { required = [], additionalProperties = true } = first;
  return {
    type: "object",
    required: required.filter((name) => kinds.every((kind) => kind.required?.includes(name))),
    additionalProperties,
    properties: Object.fromEntries(
      names.map((name) => [name, together(kinds.flatMap((kind) => kind.properties?.[name] ?? []))]),
    ),
  };
}

/** True if each kind has one value for the member; at most one kind may have an open list. */
function tellsApart(name: string, kinds: readonly JudgedSchema[]): boolean {
  const tags = kinds.map(({ properties }) => properties?.[name]);
  const open = tags.filter((tag) => tag?.openEnum !== undefined).length;
  const constant = tags.flatMap((tag) => tag?.const ?? []);
  const values = new Set(constant).size + open;
  return constant.length + open === kinds.length && open <= 1 && values > 1;
}

function toldApart(tag: string, kinds: readonly JudgedSchema[]): JudgedSchema {
  const groups = Map.groupBy(kinds, ({ properties }) => properties?.[tag]?.const);
  return {
    type: "object",
    discriminator: { propertyName: tag },
    oneOf: [...groups.values()].map((group) => {
      const kind = together(group);
      const own = group[0]?.properties?.[tag];
      return own === undefined ? kind : { ...kind, properties: { ...kind.properties, [tag]: own } };
    }),
  };
}

/** JSON Pointers of the numbers that a schema describes. */
export function amountsIn(schema: JudgedSchema, at = ""): readonly string[] {
  if (schema.type === "number") return [at];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    amountsIn(member, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
  const kinds = (schema.oneOf ?? []).flatMap((kind) => amountsIn(kind, at));
  return [...new Set([...members, ...kinds])];
}
