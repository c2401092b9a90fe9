import { pointerOf, stepsOf, valueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { isRecord } from "../values.ts";
import { type JsonSchema, membersWithin, nameOf, resolved, valuesOf } from "./json-schema.ts";
import type { DocumentedEvent, EventsDocument } from "./read-document.ts";

type Schemas = EventsDocument["schemas"];

/** A form of a body. */
export interface EventForm {
  /** The name of its schema in the document. */
  readonly title?: string;
  readonly schema: JsonSchema;
}

/** A form of an event's body, with the type that a receiver reads off it. */
export interface TypedForm {
  readonly type: string;
  readonly form: EventForm;
  readonly event: DocumentedEvent;
}

/** The forms of all bodies. Without a provider, which has the places of a type, the document says where it is. */
export const typedForms = (
  { events, schemas }: EventsDocument,
  provider: ProviderDocument | undefined,
): readonly TypedForm[] =>
  events.flatMap((event) =>
    formsOf(event.schema, schemas).map((form) => ({
      type: provider === undefined ? event.name : typeOf(event, form, provider, schemas),
      form,
      event,
    })),
  );

/** An event's data, as a document describes it for a provider. */
export interface DescribedData {
  readonly schema: JsonSchema;
  /** The data of the document's example. */
  readonly sample?: unknown;
  /** The only category that the body can have. */
  readonly category?: string;
}

/** The data of each type; of a type with several forms, the last one's. */
export function describedData(
  document: EventsDocument,
  provider: ProviderDocument,
): ReadonlyMap<string, DescribedData> {
  const { category, data = "body:" } = provider.event;
  const at = inBody(data);
  const described = new Map<string, DescribedData>();
  for (const { type, form, event } of typedForms(document, provider)) {
    const schema = schemaAt(form.schema, at, document.schemas);
    if (schema === undefined || at === undefined) continue;
    const own = textOf(schemaAt(form.schema, inBody(category), document.schemas) ?? {});
    const sample = valueAt(event.examples[0], at);
    const more = { ...(sample !== undefined && { sample }), ...(own && { category: own }) };
    described.set(type, { schema, ...more });
  }
  return described;
}

/**
 * A provider's document whose catalogue has the types of a document of events too, with their examples. Their schemas
 * stay in the document.
 */
export function withEvents(provider: ProviderDocument, document: EventsDocument): ProviderDocument {
  const described = describedData(document, provider);
  const known = new Map((provider.catalogue ?? []).map((row) => [row.type, row]));
  const types = typedForms(document, provider).map(({ type }) => type);
  const rows = [...new Set([...known.keys(), ...types])].map((type) => {
    const row = known.get(type) ?? { type };
    const { category, sample } = described.get(type) ?? {};
    const own = { ...(category !== undefined && { category }), ...row };
    return isRecord(sample) ? { ...own, sample } : own;
  });
  return { ...provider, catalogue: rows };
}

/** The JSON Pointer of a place in a body. */
const inBody = (place: unknown): string | undefined =>
  typeof place === "string" && place.startsWith("body:") ? place.slice("body:".length) : undefined;

function schemaAt(
  body: JsonSchema,
  pointer: string | undefined,
  schemas: Schemas,
): JsonSchema | undefined {
  let schema: JsonSchema | undefined = pointer === undefined ? undefined : body;
  for (const step of stepsOf(pointer ?? ""))
    schema = schema && resolved(schema, schemas).properties?.[step];
  return schema && resolved(schema, schemas);
}

/** The forms of a body: those of a union, else one. */
function formsOf(
  schema: JsonSchema,
  schemas: Schemas,
  above: readonly JsonSchema[] = [],
): readonly EventForm[] {
  const target = resolved(schema, schemas);
  const kinds = [...(target.oneOf ?? []), ...(target.anyOf ?? [])];
  const isUnion = kinds.length > 0 && target.properties === undefined && !above.includes(target);
  if (isUnion) return kinds.flatMap((kind) => formsOf(kind, schemas, [...above, target]));
  return [{ schema: target, ...(schema.$ref !== undefined && { title: nameOf(schema.$ref) }) }];
}

/**
 * The texts at a provider's places of the type. Of a header whose value the document does not have, the text is the
 * webhook's key up to the body's part: `issues-opened` of GitHub's has `opened` in the body, and `issues` in the header.
 */
function typeOf(
  { key, name, headers }: DocumentedEvent,
  { schema }: EventForm,
  { event: { type, separator = "." } }: ProviderDocument,
  schemas: Schemas,
): string {
  const constants = new Map(
    membersWithin(schema, schemas, 3).map(([steps, member]) => [pointerOf(steps), textOf(member)]),
  );
  const parts = [type].flat().map((part) => {
    if (typeof part === "object") return part.text;
    const [, kind, at = ""] = /^(\w+):(.*)$/s.exec(part) ?? [];
    return kind === "header" ? textOf(headers[at.toLowerCase()] ?? {}) : constants.get(at);
  });
  const known = parts.filter((part) => part !== undefined).join("_");
  const spelt = key.replaceAll("-", "_");
  const rest = spelt.endsWith(`_${known}`) ? spelt.slice(0, -known.length - 1) : spelt;
  const whole = [type].flat().map((part, index) => {
    const isHeader = typeof part === "string" && part.startsWith("header:");
    return parts[index] ?? (isHeader ? rest : undefined);
  });
  return whole.filter((part) => part !== undefined).join(separator) || name;
}

/** The one text that a schema accepts. */
function textOf(schema: JsonSchema): string | undefined {
  const [only, ...more] = valuesOf(schema) ?? [];
  return typeof only === "string" && more.length === 0 ? only : undefined;
}
