import { stepsOf, withValueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { example } from "../derive/example.ts";
import {
  type LocatedSchema,
  schemaNamed,
  type SchemaSource,
  standardSchemas,
} from "../derive/schema.ts";
import type { JsonSchema } from "../documents/json-schema.ts";
import { type EventsDocument, folderDocument } from "../documents/read-document.ts";
import { filesInMemory } from "../documents/source-files.ts";
import { type DescribedData, describedData } from "../documents/typed-events.ts";

type Row = NonNullable<ProviderDocument["catalogue"]>[number];

export interface ProviderEventsDocument {
  readonly source: SchemaSource;
  readonly data: ReadonlyMap<string, DescribedData>;
}

export const describedBy = (
  document: EventsDocument,
  provider: ProviderDocument,
): ProviderEventsDocument => ({ source: document, data: describedData(document, provider) });

/** Returns the schema of a row's events, whose data is `/data`; `undefined` if the row has none. */
export function rowSchema(
  { kind, type, schema }: Row,
  document: ProviderEventsDocument | undefined,
): LocatedSchema | undefined {
  if (kind !== undefined) return schemaNamed(standardSchemas(), kind);
  const described = document?.data.get(type)?.schema;
  if (document !== undefined && described !== undefined)
    return { source: document.source, schema: eventOf(described), place: type };
  if (schema === undefined) return undefined;
  const own = folderDocument("", filesInMemory({ "data.json": schema }));
  return { source: own, schema: eventOf({ $ref: "#/schemas/data" }), place: type };
}

const eventOf = (data: JsonSchema): JsonSchema => ({
  type: "object",
  required: ["data"],
  properties: { data },
});

/** Makes the body of a row's event from its sample or its schema. @param dataAt The place of its data. */
export function exampleBody(
  row: Row,
  dataAt: string,
  document: ProviderEventsDocument | undefined,
): unknown {
  const schema = rowSchema(row, document);
  if (row.sample === undefined && schema === undefined) return {};
  const made = row.sample ?? (schema && dataOf(example(schema, { optional: "absent" })));
  return placed(made, dataAt);
}

/** A schema of an event has an object with the resource under `data`. */
export const dataOf = (event: unknown): unknown => (event as { readonly data: unknown }).data;

export const placed = (data: unknown, dataAt: string): unknown =>
  withValueAt(undefined, stepsOf(dataAt.replace(/^\w+:/, "")), data);
