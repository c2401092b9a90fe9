import type { EventRow, ProviderDocument } from "./generated/provider-types.ts";
import { reference, xSignature } from "./generated/providers.ts";
import type { Profile } from "./generated/types.ts";

/** JSON Pointers of an event's members in its body. */
export interface Envelope {
  readonly id: string;
  readonly type: string;
  /** Absent if only the catalogue has the category. */
  readonly category?: string;
  readonly timestamp: string;
  readonly data: string;
}

/** A row of a catalogue, as those who write events read it. */
export interface SentEvent extends Omit<EventRow, "category" | "resource"> {
  readonly category: string;
  /** JSON Pointer of the resource's id in the body. */
  readonly resource: string;
}

/** A provider from the side that writes and sends its events. */
export interface SendingProvider {
  readonly provider: ProviderDocument;
  readonly envelope: Envelope;
  readonly catalogue: readonly SentEvent[];
  readonly sending: NonNullable<ProviderDocument["sending"]>;
}

/** A profile with its provider's document and what a sender reads of it. */
export type ResolvedProfile = Omit<Profile, keyof SendingProvider> & SendingProvider;

/** @throws {TypeError} See `sendingProviderOf`. */
export function resolveProfile(profile: Profile): ResolvedProfile {
  return { ...profile, ...sendingProviderOf(profile) };
}

/**
 * Returns the provider of a profile: a document, or the built-in one of that name.
 *
 * @throws {TypeError} No built-in provider has that name.
 */
export function providerOf({ provider }: Pick<Profile, "provider">): ProviderDocument {
  if (typeof provider !== "string") return provider;
  const known = BUILT_IN.find(({ name }) => name === provider);
  if (known !== undefined) return known;
  const names = BUILT_IN.map(({ name }) => name).join(" or ");
  throw new TypeError(
    `unknown provider ${JSON.stringify(provider)} of a profile: expected ${names}, or a document`,
  );
}

const BUILT_IN: readonly ProviderDocument[] = [reference, xSignature];

/**
 * Returns what a sender reads of a profile's provider. An id that is only in a header is also written to `/id` of the
 * body.
 *
 * @throws {TypeError} The provider is unknown, its events have no type and time in a JSON body, or "catalogue" or
 *   "sending" is missing; the message names the provider and the member.
 */
export function sendingProviderOf(profile: Pick<Profile, "provider">): SendingProvider {
  const provider = providerOf(profile);
  const { event, catalogue, sending } = provider;
  const missing = (member: string, expected: string): TypeError =>
    new TypeError(`provider ${provider.name} cannot send: "${member}" must be ${expected}`);
  const pointerTo = (member: string, place: unknown): string => {
    const pointer = bodyPointer(place);
    if (pointer === undefined) throw missing(member, "a place in the body");
    return pointer;
  };
  if (event.time?.unit !== "iso") throw missing("event/time", 'a place of unit "iso"');
  if (catalogue === undefined) throw missing("catalogue", "a list of events");
  if (sending === undefined) throw missing("sending", "an object");
  const category = bodyPointer(event.category);
  const data = event.data === undefined ? "" : pointerTo("event/data", event.data);
  return {
    provider,
    sending,
    envelope: {
      id: bodyPointer(event.id) ?? "/id",
      type: pointerTo("event/type", event.type),
      ...(category !== undefined && { category }),
      timestamp: pointerTo("event/time/at", event.time.at),
      data,
    },
    catalogue: catalogue.map((row) => ({
      ...row,
      category: row.category ?? "EVENT",
      resource: bodyPointer(row.resource) ?? `${data}/id`,
    })),
  };
}

/** The JSON Pointer of a place in the body. */
function bodyPointer(place: unknown): string | undefined {
  return typeof place === "string" && place.startsWith("body:")
    ? place.slice("body:".length)
    : undefined;
}
