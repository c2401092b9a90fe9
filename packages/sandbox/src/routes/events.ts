import {
  faultAt,
  instantOf,
  listEvents,
  refuseMembers,
  writeEvent,
  type Routes,
} from "@countersign/service";
import { invalid, optional, text, type Reader } from "../readers.ts";
import { eventData, sampleData, sampledRow } from "../samples.ts";
import { shownEvent } from "../shown.ts";
import { get, listed, post } from "./call.ts";

const data: Reader<object> = (value, place) =>
  eventData(value, place.numbers, place.pointer) ?? invalid(place, "must be an object");

export const eventRoutes: Routes = {
  "/sandbox/events": [
    get(async (call) => {
      const events = await listEvents(call.context.driver, listed(call));
      return { events: events.map(shownEvent) };
    }),
    // Writes an event of the catalogue that nothing has happened for, and delivers it like any other.
    post(201, { type: text(255), data: optional(data) }, async ({ context, merchant }, order) => {
      const { events } = context.policy;
      const sampled = sampledRow(events.catalogue, order.type);
      if (sampled === undefined) throw refuseMembers([faultAt(context, "/type", "UNKNOWN_EVENT")]);
      const { row, kind } = sampled;
      // Under the name that was asked for, also one that this service has no moment for.
      const policy = { ...context.policy, events: { ...events, named: () => row } };
      const event = await context.driver.transaction(async (tx) => {
        const at = await instantOf(tx, context.clock, merchant.clockId);
        const sent = order.data ?? sampleData(kind, { random: context.random, at });
        return writeEvent(tx, { ...context, policy }, merchant, { kind, data: sent, at });
      });
      if (event === undefined) throw new Error("the catalogue's row is no event");
      return shownEvent(event);
    }),
  ],
};
