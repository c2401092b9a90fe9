import { matches } from "@countersign/rules";
import { newId } from "../ids.ts";
import { subjectOf, type EventKind } from "../policy.ts";
import type { Queryable } from "../store/driver.ts";
import { insertDeliveries, insertEvent, type EventRecord } from "../store/tables/events.ts";
import { listOpenSubscriptions } from "../store/tables/subscriptions.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { writtenTime } from "./resources.ts";

export interface NewEvent {
  readonly kind: EventKind;
  /** The resource that the event is about, in the form that goes into JSON text. */
  readonly data: object;
  /** Instant of the merchant's clock, in milliseconds. */
  readonly at: number;
}

/**
 * Writes an event and its delivery to every open subscription that selects it, in the transaction
 * that made it happen: neither is there without the other (S 6, rules 1 and 2).
 *
 * The payload's text is made here, once. Its bytes are what every attempt signs and sends.
 *
 * @returns The event; `undefined` where the profile has none for what happened, and then nothing is
 *   written.
 */
export async function writeEvent(
  tx: Queryable,
  context: Context,
  merchant: Merchant,
  { kind, data, at }: NewEvent,
): Promise<EventRecord | undefined> {
  const id = newId(context.random, "evt");
  const row = context.policy.events.named(kind);
  if (row === undefined) return undefined;
  const { type, category, resource } = row;
  const envelope = context.policy.events.envelope({
    id,
    type,
    category,
    timestamp: writtenTime(at),
    data,
    resource,
    subject: subjectOf(kind, data),
  });
  const event = { id, type, category, payload: JSON.stringify(envelope), createdAt: at };
  await insertEvent(tx, merchant, event);
  const open = await listOpenSubscriptions(tx, merchant.id);
  const deliveries = open
    .filter(({ selection }) => matches(selection, { type, category }))
    .map(({ key }) => ({
      id: newId(context.random, "dlv"),
      eventId: id,
      subscriptionKey: key,
      createdAt: at,
    }));
  await insertDeliveries(tx, merchant, deliveries);
  return event;
}
