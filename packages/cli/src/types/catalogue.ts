import { isDeepStrictEqual } from "node:util";
import type { JudgedSchema } from "@countersign/schemas/reader-of";
import type { Schema, Schemas } from "@countersign/service/internal";
import { pointerOf, resolved, type EventModel, type EventShape } from "./event-model.ts";
import { type Language, byType, oneFile, quoted } from "./print-types.ts";
import { type AmountType, typescriptTypes } from "./typescript.ts";

const amountNumber: AmountType = {
  name: "AmountNumber",
  declaration: `/**
 * An amount as a receiver hands it over: a number whose own shortest text is the exact amount, since it
 * refuses every other one. Read it with \`amountCents\` of @countersign/receiver, and never calculate with it.
 */
export type AmountNumber = number;`,
};

/** A module of types and validators that `createReceiver` takes as its `catalogue`. */
export const typescriptCatalogue: Language = {
  isFolder: false,
  comment: "//",
  print: async (asked) => {
    const { types, model } = await typescriptTypes(asked, amountNumber);
    const imports = 'import { type Catalogue, readerOf } from "@countersign/receiver/catalogue";';
    return oneFile(imports, categorised(types, model), catalogue(model));
  },
};

/** A receiver routes by categories too, whose types it reads off the events. */
function categorised(types: string, model: EventModel): string {
  const says = ({ schema }: EventShape): boolean =>
    resolved(schema, model.schemas).properties?.["category"] !== undefined;
  if (model.events.every(says)) return types;
  const start = types.lastIndexOf("/**", types.indexOf("export type EventTypeMap"));
  const rows = [...byType(model)].map(([type, events]) => {
    const category = quoted(categoryOf(events));
    const names = events.map(({ name }) => name).join(" | ");
    return `  readonly ${quoted(type)}: (${names}) & { readonly category: ${category} };`;
  });
  return [
    `${types.slice(0, start)}/**`,
    " * Events by type. `category` is the catalogue's, for handlers of a category: not every body has such",
    " * a member.",
    " */",
    `export type EventTypeMap = {\n${rows.join("\n")}\n};`,
  ].join("\n");
}

function catalogue(model: EventModel): string {
  const { name } = model.profile;
  const rows = [...byType(model)].map(([type, events]) => {
    const schema = judgedSchema(
      events.flatMap(({ payloads }) => payloads),
      model.schemas,
    );
    const rank = rankOf(events);
    return [
      `    ${quoted(type)}: {`,
      `      category: ${quoted(categoryOf(events))},`,
      `      resource: ${quoted(events[0]?.rows[0]?.resource ?? "")},`,
      ...(rank === undefined ? [] : [`      rank: ${String(rank)},`]),
      `      amounts: ${JSON.stringify(amountsIn(schema))},`,
      `      validate: readerOf(${JSON.stringify(schema)}),`,
      "    },",
    ].join("\n");
  });
  return [
    `/** The events of profile ${name}, for \`createReceiver({ profile, catalogue })\`. */`,
    "export const catalogue: Catalogue<EventTypeMap> = {",
    `  name: ${quoted(name)},`,
    "  events: {",
    ...rows,
    "  },",
    "};",
  ].join("\n");
}

const categoryOf = (events: readonly EventShape[]): string => events[0]?.rows[0]?.category ?? "";

/** Returns the rank of a type; `undefined` if its events have different ranks and are compared by time. */
function rankOf(events: readonly EventShape[]): number | undefined {
  const ranks = new Set(events.flatMap(({ rows }) => rows.map(({ rank }) => rank)));
  return ranks.size === 1 ? [...ranks][0] : undefined;
}

/**
 * Merges the schemas of an event's kinds into one for validation, without references and documentation.
 * The member with a different constant in each kind selects the kind.
 */
function judgedSchema(kinds: readonly Schema[], schemas: Schemas): JudgedSchema {
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
function amountsIn(schema: JudgedSchema, at = ""): readonly string[] {
  if (schema.type === "number") return [at];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    amountsIn(member, at + pointerOf([name])),
  );
  const kinds = (schema.oneOf ?? []).flatMap((kind) => amountsIn(kind, at));
  return [...new Set([...members, ...kinds])];
}
