import type { ProviderDocument } from "@countersign/schemas/providers";
import { FILLERS, fits, idForms } from "./write-event.ts";
import type { CatalogueRow, EventOrder, ProviderEvents, TestEvent } from "./provider-events.ts";
import { RequestDraft } from "./request-draft.ts";

/** An event's body under another id; `undefined` if the id is in the body, or the body must repeat it. */
export function withOtherId(
  {
    provider,
    form: {
      idPlaces: [place],
    },
  }: ProviderEvents,
  event: TestEvent,
  id: string,
): TestEvent | undefined {
  const { delivery, sending } = provider;
  if (place?.startsWith("header:") !== true || sending !== undefined) return undefined;
  const { headers, text, path } = event;
  const draft = new RequestDraft({ headers, body: Buffer.from(text), path }, provider);
  const other = idForms(id).find((form) => fits(provider, place, form)) ?? id;
  draft.put(place, other);
  if (delivery?.startsWith("header:") === true && delivery !== place) draft.put(delivery, `d${id}`);
  return { ...event, id: other, headers: draft.headers, ids: [other, id] };
}

/** A change of an order that makes another event of it, and the part of the event's key that differs. */
type VariedPart = readonly [place: string, change: Partial<EventOrder>];

/**
 * Changes that each make another event of an order by a single part of its key: one of several places of the id, or the
 * type, if the id is not signed and each event has several deliveries with an id of their own.
 */
export function variedParts(events: ProviderEvents, order: EventOrder): readonly VariedPart[] {
  const { provider, rows, form } = events;
  const { typeParts, idPlaces } = form;
  const [own = "", ...others] = idPlaces;
  const { type } = events.make(order);
  const isAlike = (one: CatalogueRow): boolean =>
    one.type !== type && events.formOf(one.type) === events.formOf(type);
  const row = [...rows, ...(provider.catalogue ?? [])].find(isAlike);
  const byType: readonly VariedPart[] = row === undefined ? [] : [["their type", { row }]];
  if (others.length === 0) {
    const { delivery = own } = provider;
    return isSigned(provider, own) || delivery === own ? [] : byType;
  }
  return others.flatMap((place): readonly VariedPart[] => {
    if (typeParts.includes(place)) return byType;
    if (place === provider.timestamp?.at) return [];
    if (place === form.event.time?.at) return [[place, { at: order.at + 60_000 }]];
    const value = FILLERS.filter((one) => fits(provider, place, one))[1];
    return value === undefined ? [] : [[place, { more: { [place]: value } }]];
  });
}

function isSigned({ id, signature }: ProviderDocument, place: string): boolean {
  const isInBody = /^(?:body|item|form):/.test(place);
  return isInBody || id?.at === place || JSON.stringify(signature.signed).includes(`"${place}"`);
}
