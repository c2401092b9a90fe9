import { example, notGenerated } from "@countersign/contract-kit/derive";
import {
  DocumentError,
  type EventsDocument,
  type JsonSchema,
  nameOf,
  readDocument,
  resolved,
} from "@countersign/contract-kit/documents";
import { stepsOf, valueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { badArgument } from "./failure.ts";
import { didYouMean } from "./options.ts";
import { typedForms } from "./types/types-model.ts";

export { readDocument } from "@countersign/contract-kit/documents";

type EventRow = NonNullable<ProviderDocument["catalogue"]>[number];

/** The options of a document that describes events. */
export interface DocumentOptions {
  readonly profile: string;
  readonly openapi?: string | undefined;
  readonly eventType?: string | undefined;
}

/**
 * Reads the document of `--openapi`, if it is given.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: an option that needs it, or that excludes it. @throws {DocumentError}
 */
export async function chosenDocument({
  profile,
  openapi,
  eventType,
}: DocumentOptions): Promise<EventsDocument | undefined> {
  if (openapi !== undefined) {
    if (profile !== "standard") throw badArgument("--openapi cannot be combined with --profile");
    return readDocument(openapi, { eventType });
  }
  if (eventType !== undefined) throw badArgument("--event-type needs --openapi");
  return undefined;
}

/** A value of a schema, always the same. @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`. */
export const exampleOf = (schema: JsonSchema, document: EventsDocument): unknown =>
  example({ schema, source: document, place: document.title }, { optional: "present" });

/** A sentence on the keywords that bodies are filtered by, and not made of; `undefined` if there are none. */
export function filterNote(document: EventsDocument): string | undefined {
  const schema = { anyOf: document.events.map((event) => event.schema) };
  const keywords = notGenerated({ schema, source: document, place: document.title });
  if (keywords.length === 0) return undefined;
  return `bodies are not made of ${keywords.join(", ")}: these only filter them`;
}

/**
 * The body of an event: the document's example, else one that its schema describes.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the document has no such event.
 */
export function bodyOf(
  document: EventsDocument,
  { type, provider }: { readonly type: string; readonly provider: ProviderDocument | undefined },
): unknown {
  const forms = typedForms(document, provider);
  const found = forms.find((one) => one.type === type);
  if (found === undefined) {
    const types = forms.map((one) => one.type);
    const meant = didYouMean(type, types) || `; it has ${types.slice(0, 20).join(", ")}`;
    throw badArgument(`the document has no event ${JSON.stringify(type)}${meant}`);
  }
  const { form, event } = found;
  // An example of a body with several forms may be of another one.
  const isAlone = forms.every((one) => one === found || one.event !== event);
  return (isAlone ? event.examples[0] : undefined) ?? exampleOf(form.schema, document);
}

/**
 * A provider's document whose catalogue has the schemas and samples of data that a document of events describes.
 *
 * @param makes False leaves out samples that the document has no example of: to make hundreds takes a minute.
 */
export function withEvents(
  provider: ProviderDocument,
  document: EventsDocument,
  makes: boolean,
): ProviderDocument {
  const { category, data = "body:" } = provider.event;
  const described = new Map(typedForms(document, provider).map((one) => [one.type, one]));
  const known = new Map((provider.catalogue ?? []).map((row) => [row.type, row]));
  const rows = [...new Set([...known.keys(), ...described.keys()])].map((type): EventRow => {
    const row = known.get(type) ?? { type };
    const { form, event } = described.get(type) ?? {};
    const schema = form && schemaAt(form.schema, pointerOf(data), document);
    if (schema === undefined) return row;
    const { const: own } = schemaAt(form?.schema ?? {}, pointerOf(category), document) ?? {};
    const given = valueAt(event?.examples[0], pointerOf(data) ?? "");
    const sample = given ?? (makes ? exampleOf(schema, document) : undefined);
    return {
      ...row,
      ...(row.category === undefined && typeof own === "string" && { category: own }),
      schema: inlined(schema, document),
      ...(isObject(sample) && { sample }),
    };
  });
  return { ...provider, catalogue: rows };
}

/** The JSON Pointer of a place in a body. */
const pointerOf = (place: unknown): string | undefined =>
  typeof place === "string" && place.startsWith("body:") ? place.slice("body:".length) : undefined;

/** The schema of a body's member. */
const schemaAt = (
  body: JsonSchema,
  pointer: string | undefined,
  { schemas }: EventsDocument,
): JsonSchema | undefined =>
  pointer === undefined
    ? undefined
    : stepsOf(pointer).reduce<JsonSchema | undefined>(
        (schema, step) => {
          const member = schema?.properties?.[step];
          return member && resolved(member, schemas);
        },
        resolved(body, schemas),
      );

/** Keywords whose values are data, in which `$ref` is a member like others. */
const DATA = new Set(["const", "enum", "examples"]);

/** The parts of a schema with references resolved: references that double what they name grow without end. */
const MAX_PARTS = 20_000;

/**
 * A schema without references. A schema inside itself is left out: it accepts anything.
 *
 * @throws {DocumentError} `CS_DOCUMENT_TOO_LARGE`.
 */
function inlined(
  schema: JsonSchema,
  { schemas }: EventsDocument,
): Readonly<Record<string, unknown>> {
  let parts = 0;
  const inner = (part: unknown, of: readonly string[] = []): unknown => {
    parts += 1;
    if (parts > MAX_PARTS)
      throw new DocumentError(
        "CS_DOCUMENT_TOO_LARGE",
        `a schema has more than ${String(MAX_PARTS)} parts with references resolved`,
      );
    if (Array.isArray(part)) return part.map((one) => inner(one, of));
    if (!isObject(part)) return part;
    const { $ref: ref, ...rest } = part;
    if (typeof ref !== "string")
      return Object.fromEntries(
        Object.entries(part).map(([name, value]) => [
          name,
          DATA.has(name) ? value : inner(value, of),
        ]),
      );
    const target = of.includes(ref) ? {} : inner(schemas[nameOf(ref)], [...of, ref]);
    return { ...(target as object), ...rest };
  };
  // An object has objects as its parts.
  return inner(schema) as Readonly<Record<string, unknown>>;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
