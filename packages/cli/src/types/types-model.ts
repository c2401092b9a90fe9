import {
  type EventForm,
  type EventsDocument,
  type JsonSchema,
  nameOf,
  partsOf,
  referenceTo,
  resolved,
  typedForms,
  valuesOf,
} from "@countersign/contract-kit/documents";
import { stepsOf } from "@countersign/schemas";
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
  readonly typePath: readonly string[] | undefined;
  /** The member of every body with the event's id; absent without one. */
  readonly idMember: string | undefined;
}

/** The events of one type; their body may have several forms. */
interface TypedEvent {
  readonly type: string;
  /** The name of the body's type, which several events may share. */
  readonly name: string;
}

interface ModelOptions {
  /** Has the places of an event's type and id. Without it, the document says where the type is. */
  readonly provider: ProviderDocument | undefined;
  /** True for this project's own documents: the types of calls are printed too, and bodies repeat the id at `/id`. */
  readonly isOwn: boolean;
}

/** Names the types of a document's events, and of all that they refer to. */
export function typesModel(
  document: EventsDocument,
  { provider, isOwn }: ModelOptions,
): TypesModel {
  const { schemas: sources } = document;
  const typeNames = new Map<string, string>();
  const types = new Map<string, JsonSchema>();
  const reach = (schema: JsonSchema): void => {
    if (schema.$ref !== undefined) addSource(nameOf(schema.$ref));
    for (const [, part] of partsOf(schema)) reach(part);
  };
  // Each name once in upper and lower case: Java writes a file for each.
  const taken = new Set<string>();
  const add = (wish: string, schema: JsonSchema): string => {
    const plain = pascalCase(wish);
    const first = RESERVED.has(plain.toLowerCase()) ? `${plain}Type` : plain;
    let name = first;
    for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = first + String(number);
    taken.add(name.toLowerCase());
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
  const addForms = (forms: readonly EventForm[], wish: string): string => {
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
  const isMember =
    otherPlaces.length === 0 && typeof typeAt === "string" && typeAt.startsWith("body:/");
  const typePath = isMember ? stepsOf(typeAt.slice("body:".length)) : undefined;
  const idMember = idNames(isOwn ? undefined : provider).find((name) =>
    typed.every(({ form }) => hasId(form.schema, name, sources)),
  );
  return { title: document.title, sources, typeNames, types, events, typePath, idMember };
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

/** True if the schema describes numbers that are not only integers. */
export const isDecimal = (schema: JsonSchema): boolean =>
  [schema.type].flat().includes("number") && valuesOf(schema) === undefined;

/** Names that the printed code uses itself, or that quicktype would change. */
const RESERVED = new Set(
  `webhookevent webhookevents parsedevent eventtypemap catalogue amountnumber parsed exact json
  any boolean class converter decimal dict double enum exception iterable jsonnode jsonproperty list long map none object
  objectmapper optional override string system t true type union uuid valueerror`.split(/\s+/),
);

/** `refund.authorized` is `RefundAuthorized`; after a digit is a capital, and no name begins with a digit. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
    .replaceAll(/\d[a-z]/g, (pair) => pair.toUpperCase())
    .replace(/^(?=\d|$)/, "Of");
