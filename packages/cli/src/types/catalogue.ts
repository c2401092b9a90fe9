import { isDeepStrictEqual } from "node:util";
import { pointerOf } from "@countersign/schemas";
import { validationSource } from "@countersign/schemas/validation-source";
import type { Schema, Schemas } from "@countersign/service/internal";
import { Failure } from "../failure.ts";
import { resolved, type EventModel, type EventShape } from "./event-model.ts";
import { type Language, byType, oneFile, quoted } from "./print-types.ts";
import type { Standalone } from "./standalone.ts";
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
    const imports = 'import type { Catalogue } from "@countersign/receiver";';
    return oneFile(imports, categorised(types, model), await catalogue(model));
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

interface Row {
  readonly type: string;
  readonly events: readonly EventShape[];
  /** The schema of the type's events, without references. */
  readonly schema: Schema;
}

async function catalogue(model: EventModel): Promise<string> {
  const { name } = model.profile;
  const rows = [...byType(model)].map(([type, events]): Row => {
    const kinds = events.flatMap(({ payloads }) => payloads);
    return { type, events, schema: together(kinds.map((kind) => whole(kind, model.schemas))) };
  });
  const entries = rows.map(({ type, events, schema }, index) => {
    const rank = rankOf(events);
    return [
      `    ${quoted(type)}: {`,
      `      category: ${quoted(categoryOf(events))},`,
      `      resource: ${quoted(events[0]?.rows[0]?.resource ?? "")},`,
      ...(rank === undefined ? [] : [`      rank: ${String(rank)},`]),
      `      amounts: ${JSON.stringify(amountsIn(schema))},`,
      `      validate: validator(checks[${String(index)}]),`,
      "    },",
    ].join("\n");
  });
  return [
    await checks(rows.map(({ schema }) => schema)),
    "",
    `/** The events of profile ${name}, for \`createReceiver({ provider, catalogue })\`. */`,
    "export const catalogue: Catalogue<EventTypeMap> = {",
    `  name: ${quoted(name)},`,
    "  events: {",
    ...entries,
    "  },",
    "};",
  ].join("\n");
}

/** Prints the checks of some schemas as a list. Inside of a function no name of theirs is that of a type. */
async function checks(list: readonly Schema[]): Promise<string> {
  const names = list.map((_, index) => String(index));
  const { code, checkOf } = await compiled(withShared(list), names);
  return [
    "const { validator, checks } = (() => {",
    ...helpersOf(code),
    code,
    `return { validator, checks: [${names.map(checkOf).join(", ")}] as const };`,
    "})();",
  ].join("\n");
}

/** The declarations of validation.ts that are used: an unused one may be an error where the module is compiled. */
function helpersOf(code: string): readonly string[] {
  const declarations = validationSource.split(/\n\n(?=\/\*\*|\/\/|const )/);
  // A declaration uses those above it.
  return declarations.reduceRight<readonly string[]>((used, declaration) => {
    const [, name = ""] = /^(?:function|const|type|interface) (\w+)/m.exec(declaration) ?? [];
    const isUsed = name === "validator" || new RegExp(`\\b${name}\\b`).test([...used, code].join());
    return isUsed ? [declaration, ...used] : used;
  }, []);
}

/** Returns schemas by their numbers, with references to parts that several have: each is compiled once. */
function withShared(list: readonly Schema[]): Schemas {
  const counts = new Map<string, number>();
  const count = (part: Schema): Schema => {
    const text = JSON.stringify(part);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return mapParts(part, count);
  };
  list.forEach(count);
  const shared: Record<string, Schema> = {};
  const titles = [...counts.keys()];
  const refer = (part: Schema): Schema => {
    const text = JSON.stringify(part);
    if (text.length < 60 || counts.get(text) === 1) return mapParts(part, refer);
    const title = `part${String(titles.indexOf(text))}`;
    shared[title] ??= mapParts(part, refer);
    return { $ref: title };
  };
  const own = list.map((schema) => mapParts(schema, refer));
  return { ...Object.fromEntries(Object.entries(own)), ...shared };
}

/** @throws {Failure} `CS_CLI_PROFILE_UNUSABLE`: a schema of the profile is invalid. */
async function compiled(schemas: Schemas, names: readonly string[]): Promise<Standalone> {
  const { compileStandalone } = await import("./standalone.ts");
  try {
    return compileStandalone(schemas, names, "reader");
  } catch (cause) {
    if (!(cause instanceof Error) || cause instanceof TypeError) throw cause;
    throw new Failure("CS_CLI_PROFILE_UNUSABLE", `invalid schema: ${cause.message}`, { cause });
  }
}

const categoryOf = (events: readonly EventShape[]): string => events[0]?.rows[0]?.category ?? "";

/** Returns the rank of a type; `undefined` if its events have different ranks and are compared by time. */
function rankOf(events: readonly EventShape[]): number | undefined {
  const ranks = new Set(events.flatMap(({ rows }) => rows.map(({ rank }) => rank)));
  return ranks.size === 1 ? [...ranks][0] : undefined;
}

/** A schema without references and descriptions. */
function whole(schema: Schema, schemas: Schemas): Schema {
  const { description: _, title: __, ...rest } = resolved(schema, schemas);
  return mapParts(rest, (part) => whole(part, schemas));
}

/** Copies a schema with its direct parts changed. */
function mapParts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, oneOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, change(member)]),
      ),
    }),
    ...(items && { items: change(items) }),
    ...(oneOf && { oneOf: oneOf.map(change) }),
  };
}

/**
 * Merges the schemas of an event's kinds into one. A member with another constant in each kind selects the kind.
 */
function together(all: readonly Schema[]): Schema {
  const kinds = all.filter(
    (kind, index) => all.findIndex((other) => isDeepStrictEqual(other, kind)) === index,
  );
  const [first = {}] = kinds;
  if (kinds.length < 2) return first;
  const names = [...new Set(kinds.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const tag = names.find((name) => tellsApart(name, kinds));
  if (tag !== undefined) return toldApart(tag, kinds);
  if (first.properties === undefined) {
    const types = kinds.map(({ type }) => type);
    return types.includes(undefined)
      ? {}
      : { type: [...new Set(types.flatMap((type) => type ?? []))] };
  }
  const { required = [], additionalProperties = true } = first;
  return {
    type: "object",
    required: required.filter((name) => kinds.every((kind) => kind.required?.includes(name))),
    additionalProperties,
    properties: Object.fromEntries(
      names.map((name) => {
        const members = kinds.map(({ properties }) => properties?.[name]);
        return [name, together(members.filter((member) => member !== undefined))];
      }),
    ),
  };
}

/** True if each kind has one value for the member; at most one kind may have an open list. */
function tellsApart(name: string, kinds: readonly Schema[]): boolean {
  const tags = kinds.map(({ properties }) => properties?.[name]);
  const open = tags.filter((tag) => tag?.["x-open"] === true).length;
  const constant = tags.flatMap((tag) => tag?.["const"] ?? []);
  const values = new Set(constant).size + open;
  return constant.length + open === kinds.length && open <= 1 && values > 1;
}

function toldApart(tag: string, kinds: readonly Schema[]): Schema {
  const groups = Map.groupBy(kinds, ({ properties }) => properties?.[tag]?.["const"]);
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
function amountsIn(schema: Schema, at = ""): readonly string[] {
  if (schema.type === "number") return [at];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    amountsIn(member, at + pointerOf([name])),
  );
  const kinds = (schema.oneOf ?? []).flatMap((kind) => amountsIn(kind, at));
  return [...new Set([...members, ...kinds])];
}
