/** @ts-ignore fast-check is an optional peer: this module's types stand without it, as any */
import type FastCheck from "fast-check";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { arbitraryOfSchema } from "./arbitrary-of-schema.ts";
import { eventSchema } from "./event-schema.ts";

/** An arbitrary for every type of the standard catalogue. */
export type EventArbitraries = {
  readonly [Type in keyof EventTypeMap]: FastCheck.Arbitrary<EventTypeMap[Type]>;
};

/**
 * Arbitraries of fast-check for every type of the standard catalogue, derived from the schemas'
 * documents: what they generate passes the writer's validators, so a receiver accepts it.
 *
 * They know what the schemas know. That a `refund.authorized` carries the status `AUTHORIZED` is not
 * in a schema, so a handler meets other statuses too, as it may in production.
 *
 * @param fc fast-check 4: `import fc from "fast-check"`. It is handed in, since only who generates
 *   events needs it.
 */
export function eventArbitraries(fc: typeof FastCheck): EventArbitraries {
  const types = Object.keys(standardCatalogue.events);
  // The types were generated from the documents that the arbitraries are derived from.
  return Object.fromEntries(
    types.map((type) => [type, arbitraryOfSchema(fc, eventSchema(type))]),
  ) as EventArbitraries;
}
