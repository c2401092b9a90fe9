import { example } from "@countersign/contract-kit/derive";
import {
  type EventsDocument,
  type JsonSchema,
  readDocument,
} from "@countersign/contract-kit/documents";
import type { Profile } from "@countersign/schemas/profiles";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { interfaceSchemas, openApiOf } from "@countersign/service/internal";
import { badArgument } from "./failure.ts";
import { didYouMean } from "./options.ts";
import { typedForms } from "./types/types-model.ts";

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

/** The events and calls of a profile's service. */
export async function profileDocument(profile: Profile): Promise<EventsDocument> {
  const document = await readDocument(openApiOf(profile, interfaceSchemas));
  return { ...document, title: `profile ${profile.name}` };
}

/** A value of a schema, always the same. @throws {DocumentError} `CS_DOCUMENT_NO_VALUE`. */
export const exampleOf = (schema: JsonSchema, document: EventsDocument): unknown =>
  example({ schema, source: document, place: document.title }, { optional: "present" });

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
