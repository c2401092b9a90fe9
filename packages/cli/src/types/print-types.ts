import {
  InputData,
  JSONSchemaInput,
  FetchingJSONSchemaStore,
  type LanguageName,
  quicktypeMultiFile,
  type RendererOptions,
  type TargetLanguage,
} from "quicktype-core";
import type { Schema } from "@countersign/service/internal";
import {
  flattened,
  isDecimal,
  pascalCase,
  resolved,
  titleOf,
  valuesOf,
  type EventModel,
  type EventShape,
} from "./event-model.ts";

/** Prints events as types of a language. */
export interface Language {
  /** Pattern and default of `--package`; absent if the language has no packages. */
  readonly package?: { readonly form: RegExp; readonly standard: string };
  /** True if each public type needs its own file; the path is then a folder. */
  readonly isFolder: boolean;
  /** Begins a line of comment. */
  readonly comment: "//" | "#";
  /** Files by their names; where `isFolder` is false one, whose name says nothing. */
  readonly print: (model: EventModel, packageName: string) => Promise<ReadonlyMap<string, string>>;
}

/** The file of a language that needs only one, from its parts. */
export const oneFile = (...parts: readonly string[]): ReadonlyMap<string, string> =>
  new Map([["events", parts.join("\n\n")]]);

/** Replaces in lines of code, and leaves the lines of comments as they are. */
export function inCode(
  text: string,
  { comment, from, to }: { readonly comment: RegExp; readonly from: RegExp; readonly to: string },
): string {
  return text
    .split("\n")
    .map((line) => (comment.test(line) ? line : line.replaceAll(from, to)))
    .join("\n");
}

/** The events by type, in the catalogue's order; several if another member distinguishes them. */
export function byType({ events }: EventModel): ReadonlyMap<string, readonly EventShape[]> {
  return Map.groupBy(events, ({ type }) => type);
}

/** A string literal for languages with C's escapes; portable for printable ASCII. */
export const quoted = (text: string): string => JSON.stringify(text);

/** The names of events that are types, once each. */
export const namesOf = ({ events }: EventModel): readonly string[] =>
  events.map(({ name }) => name);

export interface PrintOptions<Lang extends LanguageName> {
  readonly language: Lang | TargetLanguage;
  readonly options: Partial<RendererOptions<Lang>>;
  /** See `printedSchemas`. */
  readonly literals?: boolean;
}

export interface Printed {
  /** By their names. */
  readonly files: ReadonlyMap<string, string>;
  /** All files in one, for the languages that take one. */
  readonly text: string;
  /** The events by the names that they are printed with. */
  readonly model: EventModel;
}

/** The types of the events, one for each, as quicktype prints them. */
export async function printTypes<Lang extends LanguageName>(
  model: EventModel,
  { language, options, literals = false }: PrintOptions<Lang>,
): Promise<Printed> {
  const definitions = printedSchemas(model, { literals });
  // Never used: every reference stays in the document.
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore());
  await input.addSource({
    name: "events",
    schema: JSON.stringify({ definitions }),
    // Each by itself: of a union quicktype makes one type in which everything is optional.
    uris: ["#/definitions/"],
  });
  const inputData = new InputData();
  inputData.addInput(input);
  const printed = await quicktypeMultiFile<Lang>({
    inputData,
    lang: language,
    rendererOptions: options,
    outputFilename: "events",
    leadingComments: [],
  });
  const files = new Map(
    [...printed].map(([name, { lines }]) => [name, `${escaped(lines.join("\n").trim())}\n`]),
  );
  const text = [...files.values()].join("\n");
  const events = model.events.map((event) => ({ ...event, name: nameIn(text, event.name) }));
  return { files, text, model: { ...model, events } };
}

/** quicktype leaves carriage returns in Java's strings as they are; comments have none. */
const escaped = (text: string): string => text.replaceAll("\r", String.raw`\r`);

/** The name of a type as a language writes it, such as `PaymentIDChangedEvent`. */
function nameIn(text: string, name: string): string {
  const declared = new RegExp(`\\b(?:class|interface|type|struct) (${name})\\b`, "i");
  return declared.exec(text)?.[1] ?? name;
}

/** Placeholder for any other value in a list that readers may extend. */
export const ANY_OTHER = "any-other-value";
/** Placeholder for the type of a decimal, which quicktype would print as it prints an integer. */
export const DECIMAL = "decimal-number";

/**
 * The events and what they refer to, as the type printer reads them: without what judges, and each
 * object and each list of values with a name.
 *
 * @param literals Whether texts that have one value or known ones are printed as these values, and decimals as
 *   `DECIMAL`. Without, they are texts whose documentation lists them; a list that is closed is an enum either way.
 */
function printedSchemas(
  { events, schemas }: EventModel,
  { literals }: { readonly literals: boolean },
): Readonly<Record<string, Schema>> {
  const definitions: Record<string, Schema> = {};

  const printed = (schema: Schema, names: Names): Schema => {
    const target = resolved(schema, schemas);
    const title = titleOf(schema);
    if (title === undefined || !isObject(target)) return inline(target, names);
    // Written down before its members are, which may lead back to it.
    if (definitions[title] === undefined) {
      definitions[title] = {};
      const whole = resolved({ $ref: schema.$ref ?? "" }, schemas);
      definitions[title] = inline(whole, { own: title, subject: title });
    }
    return { $ref: `#/definitions/${title}` };
  };

  const inline = (schema: Schema, names: Names): Schema => {
    const { type = "string", items, oneOf, properties } = schema;
    const told = description(schema);
    if (oneOf !== undefined) {
      const { oneOf: _, ...beside } = schema;
      return inline({ ...flattened(oneOf, schemas), ...beside }, names);
    }
    if (properties !== undefined)
      return {
        type: "object",
        title: names.own,
        ...told,
        additionalProperties: false,
        required: schema.required ?? [],
        properties: Object.fromEntries(
          Object.entries(properties).map(([member, child]) => [
            member,
            printed(child, memberNames(names, { member, schema: child })),
          ]),
        ),
      };
    if (items !== undefined) return { type: "array", ...told, items: printed(items, names) };
    if (type === "object") return { type: "object", ...told, additionalProperties: true };
    if (literals && isDecimal(schema)) {
      const decimal = { type: "string", title: names.own, enum: [DECIMAL] };
      const others = [type].flat().filter((one) => one !== "number");
      if (others.length === 0) return { ...decimal, ...told };
      return { ...told, anyOf: [decimal, ...others.map((one) => ({ type: one }))] };
    }
    // All enums of the schemas are texts.
    const values = valuesOf(schema) as readonly string[] | undefined;
    return values === undefined
      ? { type, ...told }
      : { type, ...told, ...textOf(schema, { values, name: names.own, literals }) };
  };

  for (const { name, rows, type, schema } of events) {
    const subject = pascalCase((rows[0]?.kind ?? type).replace(/\..*/s, ""));
    definitions[name] = inline(resolved(schema, schemas), { own: name, subject });
  }
  return definitions;
}

/** A type's name, and the prefix of its members' enums. */
interface Names {
  readonly own: string;
  /** `Payment`, also for the events about one: the same list is one type. */
  readonly subject: string;
}

interface Text {
  readonly values: readonly string[];
  readonly name: string;
  readonly literals: boolean;
}

function textOf(schema: Schema, { values, name, literals }: Text): Schema {
  const isOpen = schema["x-open"] === true;
  if (literals) return { title: name, enum: isOpen ? [...values, ANY_OTHER] : values };
  if (!isOpen && values.length > 1) return { title: name, enum: values };
  const known = isOpen
    ? `Known values: ${values.join(", ")}; others may be added.`
    : `Always ${values.join()}.`;
  const told = `${description(schema).description ?? ""} ${inComment(known)}`.trim();
  return { description: told };
}

/**
 * A foreign text that is safe in a comment or a docstring of every language: on one line, without what
 * ends the comment, and without escapes, which Java reads in comments too.
 */
function inComment(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("*/", "* /")
    .replaceAll("/*", "/ *")
    .replaceAll('"""', "'''")
    .replaceAll("\\", "/")
    .replace(/"$/, "'")
    .trim();
}

/** Returns the description; of a number only its first sentence, since the rest is about JavaScript. */
function description(schema: Schema): { readonly description?: string } {
  const { description: text, type } = schema;
  if (typeof text !== "string") return {};
  return { description: inComment(type === "number" ? text.replace(/\. .*/s, ".") : text) };
}

const isObject = ({ properties, oneOf }: Schema): boolean =>
  properties !== undefined || oneOf !== undefined;

/** `RefundFailedEvent` and `data` are `RefundFailedData`; `Payment` and `paymentStatus` are `PaymentStatus`. */
function memberNames(
  { own, subject }: Names,
  { member, schema }: { readonly member: string; readonly schema: Schema },
): Names {
  const owner = schema.properties === undefined ? subject : own.replace(/Event$/, "");
  const name = pascalCase(member);
  return { own: name.startsWith(owner) ? name : owner + name, subject };
}
