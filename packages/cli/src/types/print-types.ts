import {
  InputData,
  JSONSchemaInput,
  FetchingJSONSchemaStore,
  type LanguageName,
  quicktypeMultiFile,
  type RendererOptions,
  type TargetLanguage,
} from "quicktype-core";
import type { EventModel } from "./event-model.ts";
import { printedSchemas } from "./printed-schemas.ts";

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
  // Never asked: every reference stays in the document.
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
    [...printed].map(([name, { lines }]) => [name, `${lines.join("\n").trim()}\n`]),
  );
  const text = [...files.values()].join("\n");
  const events = model.events.map((event) => ({ ...event, name: nameIn(text, event.name) }));
  return { files, text, model: { ...model, events } };
}

/** The name of a type as a language writes it, such as `PaymentIDChangedEvent`. */
function nameIn(text: string, name: string): string {
  const declared = new RegExp(`\\b(?:class|interface|type|struct) (${name})\\b`, "i");
  return declared.exec(text)?.[1] ?? name;
}
