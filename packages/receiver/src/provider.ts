import { type Catalogue, type CatalogueEntry, standardCatalogue } from "@countersign/schemas";
import { type ProviderDocument, reference } from "@countersign/schemas/providers";
import { schemeOf, type SignatureScheme } from "@countersign/signatures";
import { parsePlace } from "@countersign/signatures/places";
import { MistakeError, withCode } from "./mistake.ts";
import { categoryOf, compileEvent, type KnownType } from "./pipeline/event.ts";
import { compileHandshakes } from "./pipeline/handshake.ts";
import { compileMedia } from "./pipeline/headers.ts";
import type { ProviderParts } from "./pipeline/parts.ts";
import { quoted } from "./pipeline/router.ts";

declare const EVENTS: unique symbol;

/** A provider's document; `Types` maps the names of its types to their events. */
export type TypedProvider<Types> = ProviderDocument & { readonly [EVENTS]?: Types };

/** Events of a provider without types: a handler gets unknown JSON. */
export type UntypedEvents = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The events of a union, by their types: of objects with a `type`, such as `Stripe.Event`, or with a `name` and a
 * `payload`, such as octokit's `EmitterWebhookEvent`.
 */
export type EventsOf<Union> = {
  readonly [Event in NamedEvent<Union> as Event["name"]]: Event["event"];
};

type NamedEvent<Event> = Event extends {
  readonly name: infer Name;
  readonly payload: infer Payload;
}
  ? NamedPayload<Name & string, Payload>
  : Event extends { readonly type: infer Type }
    ? { readonly name: Type & string; readonly event: Event }
    : never;

type NamedPayload<Name extends string, Payload> = Payload extends {
  readonly action: infer Action extends string;
}
  ? { readonly name: `${Name}.${Action}`; readonly event: Payload }
  : { readonly name: Name; readonly event: Payload };

/** @throws {MistakeError} `CS_PROVIDER_INVALID` */
export function providerParts(
  provider: ProviderDocument,
  catalogue: Catalogue<unknown> | undefined,
  caller: string,
): ProviderParts {
  if (typeof provider?.name !== "string")
    throw new MistakeError(
      `${caller}: "provider" must be a document, such as stripe of @countersign/receiver/providers`,
      "CS_PROVIDER_INVALID",
    );
  return withCode({ code: "CS_PROVIDER_INVALID", caller }, () => compile(provider, catalogue));
}

/**
 * Compiles a document. What would read or answer every event wrongly is refused; `countersign providers FILE` judges the whole
 * shape by the JSON Schema, whose validator would make a bundle half as large again.
 */
function compile(
  provider: ProviderDocument,
  catalogue: Catalogue<unknown> | undefined,
): ProviderParts {
  const { name, event, variants = [], retries = "none" } = provider;
  const forms = [event, ...variants.map((one) => one.event)];
  if (forms.some((form) => form?.type === undefined))
    throw new TypeError(
      `invalid provider ${quoted(name)}: an "event" needs a "type", such as body:/type`,
    );
  if (retries !== "none" && !(retries.hours > 0))
    throw new TypeError(
      `invalid provider ${quoted(name)}: "retries" must be "none" or such as { "hours": 72 }`,
    );
  const scheme = schemeOf(provider);
  try {
    return partsOf(provider, scheme, catalogue);
  } catch (cause) {
    // A place or a condition does not say whose it is.
    if (!(cause instanceof TypeError)) throw cause;
    throw new TypeError(`invalid provider ${quoted(name)}: ${cause.message}`, { cause });
  }
}

function partsOf(
  provider: ProviderDocument,
  scheme: SignatureScheme,
  catalogue: Catalogue<unknown> | undefined,
): ProviderParts {
  const { batch, authentic, event, variants = [] } = provider;
  const idAt = provider.id?.at;
  const typed = catalogue ?? (provider === reference ? standardCatalogue : undefined);
  return {
    provider,
    scheme,
    media: compileMedia(provider.media),
    batch: batch === undefined ? undefined : parsePlace(batch),
    events: [
      ...variants.map((one) => compileEvent(one.event, scheme, { when: one.when, authentic })),
      compileEvent(event, scheme, { authentic }),
    ],
    handshakes: compileHandshakes(provider),
    authentic: authentic?.map(parsePlace),
    repeatsId: isOwn(provider) && idAt !== undefined && event.id === idAt,
    catalogue: typed === undefined ? rowsOf(provider) : entriesOf(typed),
    isTyped: typed !== undefined,
  };
}

const entriesOf = (catalogue: Catalogue<unknown>): ReadonlyMap<string, KnownType> =>
  new Map(
    Object.entries<CatalogueEntry<unknown>>(catalogue.events).map(([type, entry]) => [
      type,
      { ...entry, category: entry.category ?? categoryOf(type) },
    ]),
  );

/** The names, categories and resources of the document's own catalogue, which has no validators. */
function rowsOf({ catalogue = [] }: ProviderDocument): ReadonlyMap<string, KnownType> {
  return new Map(
    catalogue.map(({ type, category = categoryOf(type), resource, rank }) => [
      type,
      {
        category,
        resource: resource?.replace(/^(?:body|item):/, ""),
        rank,
        amounts: [],
      },
    ]),
  );
}

/** True if users name types with this beginning: no catalogue lists them. */
export const hasOwnPrefix = (type: string, provider: ProviderDocument): boolean =>
  ownTypePrefixes(provider).some((prefix) => type.startsWith(prefix));

/** Beginnings of the types that no catalogue lists, since users name them: a variant's condition on its type's own place. */
export const ownTypePrefixes = ({ variants = [] }: ProviderDocument): readonly string[] =>
  variants.flatMap(({ when, event }) =>
    [when].flat().flatMap(({ at, startsWith }) => (at === event.type && startsWith) || []),
  );

/** The deepest body that is read: the payment interface's is shallow, and vendors nest texts with styles. */
export const depthOf = (provider: ProviderDocument): number => (isOwn(provider) ? 16 : 64);

/** True for the payment interface's documents, also with a user's own changes. */
export const isOwn = ({ sending }: ProviderDocument): boolean => sending !== undefined;
