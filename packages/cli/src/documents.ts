import { ownFormOf } from "@countersign/contract-kit/attempts";
import { errorsOf, example } from "@countersign/contract-kit/derive";
import {
  DocumentError,
  type EventsDocument,
  readDocument,
  typedForms,
} from "@countersign/contract-kit/documents";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { badArgument, didYouMean } from "./failure.ts";

/** Reads the document of `--openapi`, if it is given. @throws {DocumentError} */
export async function chosenDocument({
  openapi,
  eventType,
}: {
  readonly openapi: string | undefined;
  readonly eventType?: string | undefined;
}): Promise<EventsDocument | undefined> {
  if (openapi !== undefined) return readDocument(openapi, { eventType });
  if (eventType !== undefined) throw badArgument("--event-type needs --openapi");
  return undefined;
}

/** Does work that goes one call deeper for each reference between schemas. @throws {DocumentError} `CS_DOCUMENT_TOO_LARGE` */
export async function withinStack<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof RangeError && cause.message.includes("call stack"))) throw cause;
    const message = "the schemas refer to each other in a chain that is too long";
    throw new DocumentError("CS_DOCUMENT_TOO_LARGE", message, { cause });
  }
}

/** Checks that a provider has an event, if it lists any: in its own document, or in that of `--openapi`. */
export function requireEvent(provider: ProviderDocument, event: string, openapi?: string): void {
  const { name, catalogue = [] } = provider;
  const known = catalogue.map(({ type }) => type);
  if (known.length === 0 || known.includes(event) || ownFormOf(provider, event)) return;
  const all =
    known.length > 10 && openapi === undefined
      ? `; countersign providers ${name} lists its ${known.length} types`
      : `; expected one of ${known.join(", ")}`;
  const hint = didYouMean(event, known) || all;
  throw badArgument(`${openapi ?? name} has no event ${JSON.stringify(event)}${hint}`);
}

/** The body of an event: the document's example that its schema accepts, else one that the schema describes. */
export function bodyOf(
  document: EventsDocument,
  { type, provider }: { readonly type: string; readonly provider: ProviderDocument | undefined },
): unknown {
  const found = typedForms(document, provider).find((one) => one.type === type);
  if (found === undefined) return undefined;
  const { form, event } = found;
  const located = { schema: form.schema, source: document, place: document.title };
  const sample = event.examples.find((one) => errorsOf(located, one).length === 0);
  return sample ?? example(located, { optional: "present" });
}
