import type { ProviderDocument } from "@countersign/schemas/providers";
import { schemeOf } from "@countersign/signatures";
import { conditionOf, parsePlace, Places } from "@countersign/signatures/places";
import { compileEvent, type IncomingEvent } from "../pipeline/event.ts";
import { type EventParts, readEvents, Reading } from "../pipeline/read-events.ts";
import { ListError } from "./list-error.ts";
import { listOf } from "./next-page.ts";

/** An event of a provider's list. */
export interface ListedEvent {
  readonly event: IncomingEvent;
  /** The provider's id of the delivery, for `redelivery`. */
  readonly redeliverId: string | undefined;
}

const DEPTH = 64;

/**
 * Returns a function that reads a page as events with the keys that their webhooks have.
 *
 * @throws {ListError} `CS_LIST_UNSUPPORTED`: the provider's document has no list. The function: `CS_LIST_UNREADABLE`.
 */
export function listReader(
  provider: ProviderDocument,
  tenant: string,
  more: Partial<EventParts> = {},
): (page: Uint8Array) => readonly ListedEvent[] {
  const list = listOf(provider);
  // An id that the webhook's signature does not prove counts with the type, in each attempt and here.
  const { provesId } = compileEvent(provider.event, schemeOf(provider));
  const plan = { ...compileEvent(list.event, { covers: () => false }), provesId };
  const exceptions = (list.except ?? []).map(conditionOf);
  const redeliverAt = list.redeliver && parsePlace(list.redeliver.id);
  const parts: EventParts = {
    provider,
    authentic: undefined,
    repeatsId: false,
    catalogue: new Map(),
    ...more,
    events: [plan],
    batch: parsePlace(list.items),
  };
  return (page) => {
    const reading = new Reading({ headers: {}, body: page }, { format: "json", depth: DEPTH });
    const events = readEvents(reading, tenant, parts);
    if ("kind" in events) {
      const [{ pointer = "", message } = { message: events.code }] = events.details ?? [];
      throw new ListError(
        "CS_LIST_UNREADABLE",
        `a page of ${provider.title} is not as its document describes it: ${pointer} ${message}`,
      );
    }
    return events.flatMap((event) => {
      const places = new Places({ headers: {}, body: new Uint8Array() }).ofItem(event.body);
      if (exceptions.some((isMet) => isMet(places))) return [];
      const pointer = redeliverAt?.text.slice("item:".length) ?? "";
      const id = redeliverAt && (event.inexact.get(pointer) ?? places.value(redeliverAt));
      return [{ event, redeliverId: id === undefined ? undefined : String(id) }];
    });
  };
}
