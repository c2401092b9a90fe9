import {
  type DocumentedEvent,
  type EventsDocument,
  type JsonSchema,
  nameOf,
  partsOf,
  referenceTo,
  resolved,
} from "@countersign/contract-kit/documents";
import { pointerOf, stepsOf } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The types of a document's events, for whatever prints them. */
export interface TypesModel {
  readonly title: string;
  /** The document's schemas, to which references lead. */
  readonly sources: Schemas;
  /** Names of the types of these schemas: all that the events refer to. */
  readonly typeNames: ReadonlyMap<string, string>;
  /** The schemas that are printed as types, by the names of the types. */
  readonly types: ReadonlyMap<string, JsonSchema>;
  /** One for each type of event, in the document's order. */
  readonly events: readonly TypedEvent[];
  /** The members that lead to the type in a body; absent if a body does not have its type. */
  readonly typePath?: readonly string[];
  /** The member of every body with the event's id; absent if there is none. */
  readonly idMember?: string;
}

/** The events of one type; their body may have several forms. */
export interface TypedEvent {
  readonly type: string;
  /** The name of the body's type, which several events may share. */
  readonly name: string;
}

/** A form of a body. */
export interface Form {
  /** The name of its schema in the document. */
  readonly title?: string;
  readonly schema: JsonSchema;
}

export interface ModelOptions {
  /** Has the places of an event's type and id. Without it, the document says where the type is. */
  readonly provider?: ProviderDocument | undefined;
  /** True for this project's own documents: the types of calls are printed too, and bodies repeat the id at `/id`. */
  readonly isOwn?: boolean;
}

/** Names the types of a document's events, and of all that they refer to. */
export function typesModel(
  document: EventsDocument,
  { provider, isOwn = false }: ModelOptions = {},
): TypesModel {
  const { schemas: sources } = document;
  const names = new Names();
  const typeNames = new Map<string, string>();
  const types = new Map<string, JsonSchema>();
  const reach = (schema: JsonSchema): void => {
    if (schema.$ref !== undefined) addSource(nameOf(schema.$ref));
    for (const [, part] of partsOf(schema)) reach(part);
  };
  const add = (wish: string, schema: JsonSchema): string => {
    const name = names.take(wish);
    types.set(name, schema);
    return name;
  };
  const addSource = (title: string): string => {
    const known = typeNames.get(title);
    if (known !== undefined) return known;
    const schema = sources[title] ?? {};
    const name = add(title, schema);
    typeNames.set(title, name);
    reach(schema);
    return name;
  };
  const addForms = (forms: readonly Form[], wish: string): string => {
    const parts = forms.map(({ title, schema }) =>
      title === undefined ? schema : { $ref: referenceTo(title) },
    );
    const [only = {}, ...others] = parts;
    if (others.length === 0 && only.$ref !== undefined) return addSource(nameOf(only.$ref));
    const union = others.length === 0 ? only : { anyOf: parts };
    reach(union);
    return add(wish, union);
  };

  const typed = typedForms(document, provider);
  const events = [...Map.groupBy(typed, ({ type }) => type)].map(([type, group]): TypedEvent => {
    const forms = [...new Map(group.map(({ form }) => [form.schema, form])).values()];
    const wish = `${type.replace(/\W?event$/i, "")}_event`;
    return { type, name: addForms(forms, wish) };
  });
  for (const { direction, schema } of isOwn ? document.parts : [])
    if (direction !== "event" && schema.$ref !== undefined) addSource(nameOf(schema.$ref));

  const places =
    provider === undefined ? document.events.map((event) => event.typeAt) : [provider.event.type];
  const [typeAt, ...otherPlaces] = new Set(places);
  const hasPath =
    otherPlaces.length === 0 && typeof typeAt === "string" && typeAt.startsWith("body:/");
  const bodies = typed.map(({ form }) => form.schema);
  const idMember = idNames(isOwn ? undefined : provider).find((name) =>
    bodies.every((body) => hasId(body, name, sources)),
  );
  return {
    title: document.title,
    sources,
    typeNames,
    types,
    events,
    ...(hasPath && { typePath: stepsOf(typeAt.slice("body:".length)) }),
    ...(idMember !== undefined && { idMember }),
  };
}

/** The forms of all bodies, with the type that a receiver reads off each. */
export const typedForms = (
  { events, schemas: sources }: EventsDocument,
  provider: ProviderDocument | undefined,
): readonly { readonly type: string; readonly form: Form; readonly event: DocumentedEvent }[] =>
  events.flatMap((event) =>
    formsOf(event.schema, sources).map((form) => ({
      type: typeOf(event, form, { provider, sources }),
      form,
      event,
    })),
  );

/** The forms of a body: those of a union, else one. */
function formsOf(
  schema: JsonSchema,
  sources: Schemas,
  above: readonly JsonSchema[] = [],
): readonly Form[] {
  const target = resolved(schema, sources);
  const kinds = [...(target.oneOf ?? []), ...(target.anyOf ?? [])];
  const isUnion = kinds.length > 0 && target.properties === undefined && !above.includes(target);
  if (isUnion) return kinds.flatMap((kind) => formsOf(kind, sources, [...above, target]));
  return [{ schema: target, ...(schema.$ref !== undefined && { title: nameOf(schema.$ref) }) }];
}

/**
 * The type that a receiver reads off an event: its name in the document, or the texts at a provider's places. Of a header
 * whose value the document does not have, the text is the webhook's key up to the body's part: `issues-opened` of
 * GitHub's has `opened` in the body, and `issues` in the header.
 */
function typeOf(
  { key, name, headers }: DocumentedEvent,
  { schema }: Form,
  {
    provider,
    sources,
  }: { readonly provider: ProviderDocument | undefined; readonly sources: Schemas },
): string {
  if (provider === undefined) return name;
  const { type, separator = "." } = provider.event;
  const constants = constantsOf(schema, sources);
  const parts = [type].flat().map((part) => {
    if (typeof part === "object") return part.text;
    const [, kind, at = ""] = /^(\w+):(.*)$/s.exec(part) ?? [];
    if (kind !== "header") return constants.get(at);
    return textOf(headers[at.toLowerCase()] ?? {});
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

const idNames = (provider: ProviderDocument | undefined): readonly string[] =>
  provider === undefined
    ? ["id", "event_id", "eventId"]
    : [provider.event.id ?? []].flat().flatMap((at) => /^body:\/([^/]+)$/.exec(at)?.[1] ?? []);

function hasId(body: JsonSchema, name: string, sources: Schemas): boolean {
  const member = body.properties?.[name];
  return (
    member !== undefined && ["string", "integer"].includes(String(resolved(member, sources).type))
  );
}

/** The constant texts of a body's members by JSON Pointer, three levels deep. */
function constantsOf(
  schema: JsonSchema,
  sources: Schemas,
  path: readonly string[] = [],
): ReadonlyMap<string, string> {
  const text = textOf(schema);
  if (text !== undefined) return new Map([[pointerOf(path), text]]);
  const members = path.length > 2 ? {} : (resolved(schema, sources).properties ?? {});
  return new Map(
    Object.entries(members).flatMap(([name, member]) => [
      ...constantsOf(member, sources, [...path, name]),
    ]),
  );
}

/** The one text that a schema accepts. */
function textOf(schema: JsonSchema): string | undefined {
  const [only, ...more] = valuesOf(schema) ?? [];
  return typeof only === "string" && more.length === 0 ? only : undefined;
}

/** The values that a schema lists; `undefined` if it lists none. */
export const valuesOf = ({
  const: only,
  enum: values,
}: JsonSchema): readonly unknown[] | undefined =>
  values ?? (only === undefined ? undefined : [only]);

/** True if the schema describes numbers that are not only integers. */
export const isDecimal = (schema: JsonSchema): boolean =>
  [schema.type].flat().includes("number") && valuesOf(schema) === undefined;

/** Names that the printed code uses itself, or that quicktype would change. */
const RESERVED = new Set(
  `webhookevent webhookevents eventtypemap catalogue decimaltext amountnumber parsed shape texts map readonlymap json
  any boolean class converter decimal dict double enum exception iterable jsonnode jsonproperty list long none object
  objectmapper optional override string system t true type union uuid valueerror`.split(/\s+/),
);

/** Type names, each once in upper and lower case: Java writes a file for each. */
class Names {
  readonly #taken = new Set<string>();

  take(wish: string): string {
    const plain = pascalCase(wish);
    const name = RESERVED.has(plain.toLowerCase()) ? `${plain}Type` : plain;
    let free = name;
    for (let number = 2; this.#taken.has(free.toLowerCase()); number += 1)
      free = name + String(number);
    this.#taken.add(free.toLowerCase());
    return free;
  }
}

/** `refund.authorized` is `RefundAuthorized`; after a digit is a capital, and no name begins with a digit. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
    .replaceAll(/\d[a-z]/g, (pair) => pair.toUpperCase())
    .replace(/^(?=\d|$)/, "Of");
