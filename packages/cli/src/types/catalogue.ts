import type { EventModel, EventShape } from "./event-model.ts";
import { amountsIn, judgedSchema } from "./judged-schema.ts";
import { byType, commented, type Language, oneFile, quoted } from "./language.ts";
import { resolved } from "./schemas.ts";
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
  print: async (asked, { header }) => {
    const { types, model } = await typescriptTypes(asked, amountNumber);
    const imports = 'import { type Catalogue, readerOf } from "@countersign/receiver/catalogue";';
    const parts = [imports, categorised(types, model), catalogue(model)];
    return oneFile(commented("//", header), parts.join("\n\n"));
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
