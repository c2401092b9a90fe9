import { createReceiver } from "@countersign/receiver";
import { eventArbitraries } from "@countersign/receiver/testing";
import { type EventTypeMap, standardCatalogue } from "@countersign/schemas";
import { validateEvent } from "@countersign/schemas/writers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, secret } from "../fixtures.ts";

const arbitraries = eventArbitraries(fc);
const types = Object.keys(standardCatalogue.events) as (keyof EventTypeMap)[];

/** Holds so many generated events of each type against the writer's validator, and against a receiver. */
export function generatedEvents({
  validated,
  handled,
}: {
  readonly validated: number;
  readonly handled: number;
}): void {
  describe.each(types)("every generated %s", (type) => {
    it("passes the writer's validator", () => {
      fc.assert(
        fc.property(arbitraries[type], (event) => {
          expect(validateEvent(event)).toEqual({ ok: true, value: event });
          expect(event.type).toBe(type);
        }),
        { numRuns: validated },
      );
    });

    it("is handled by a receiver", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraries[type], async (event) => {
          const seen: unknown[] = [];
          const receiver = createReceiver({
            secrets: [secret],
            fallback: () => undefined,
            now: () => NOON,
          }).on(type, (got) => void seen.push(got));
          const outcome = await receiver.receive(attemptOf(event));
          expect(outcome).toMatchObject({ kind: "handled", key: { id: event.id } });
          expect(seen).toEqual([event]);
        }),
        { numRuns: handled },
      );
    });
  });
}
