import { matches } from "@countersign/rules";
import { newId } from "../random.ts";
import type { SentEvent } from "@countersign/schemas/provider-of";
import { subjectOf, writeEnvelope, type EventKind } from "../profile/envelope.ts";
import { afterCommit, type Queryable } from "../store/driver.ts";
import { insertDeliveries, insertEvent, type EventRecord } from "../store/tables/deliveries.ts";
import { listOpenSubscriptions } from "../store/tables/subscriptions.ts";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Context } from "./context.ts";
import { writtenTime } from "./resources.ts";

export interface NewEvent {
  readonly kind: EventKind;
  /** Default: the catalogue's first row of the kind. */
  readonly row?: SentEvent;
  /** The event's resource, in the form that is written as JSON. */
  readonly data: object;
  /** Instant of the merchant's clock, in milliseconds. */
  readonly at: number;
}

/**
 * Writes an event and its delivery to every open subscription that selects it, in the transaction of the change it reports
 * (S 6, rules 1 and 2). Every attempt signs and sends the payload's bytes. `undefined` if the profile has no such event.
 */
export async function writeEvent(
  tx: Queryable,
  context: Context,
  merchant: Merchant,
  { kind, data, at, ...given }: NewEvent,
): Promise<EventRecord | undefined> {
  const id = newId(context.random, "evt");
  const { catalogue, envelope: places } = context.policy;
  const row = given.row ?? catalogue.find((one) => one.kind === kind);
  if (row === undefined) return undefined;
  const { type, category, resource } = row;
  const named = { id, type, category, resource, timestamp: writtenTime(at) };
  const envelope = writeEnvelope(places, { ...named, data, subject: subjectOf(kind, data) });
  const event = { id, type, category, payload: JSON.stringify(envelope), createdAt: at };
  await insertEvent(tx, merchant, event);
  const open = await listOpenSubscriptions(tx, merchant.id);
  const dueAt = merchant.clockId === "live" ? context.dueClock.now() : at;
  const wanted = open.filter(({ selection }) => matches(selection, { type, category }));
  const times = { createdAt: at, dueAt };
  const deliveries = wanted.map(({ key: subscriptionKey }) => {
    return { id: newId(context.random, "dlv"), eventId: id, subscriptionKey, ...times };
  });
  await insertDeliveries(tx, merchant, deliveries);
  const work = wanted.map(({ key, url }) => ({ key, merchantId: merchant.id, url, at: dueAt }));
  afterCommit(tx, () => {
    context.onEvent(merchant.id);
    context.onWork(work);
  });
  return event;
}
