import { setImmediate } from "node:timers/promises";
import { createReceiver, defaultRespond, memoryInbox, type Outcome } from "@countersign/receiver";
import { eventFactories } from "@countersign/receiver/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attemptOf, NOON, silent } from "./fixtures.ts";

const ranks = { "refund.pending": 0, "refund.authorized": 1, "refund.failed": 2 } as const;
type RefundType = keyof typeof ranks;

const factories = eventFactories();
const refund = (
  type: RefundType,
  { id, at = 0, of = "ref_1" }: { id: string; at?: number; of?: string },
): object =>
  factories[type]({ id, timestamp: new Date(NOON + at).toISOString(), data: { paymentId: of } });

function ordered(order: "none" | "per-resource" = "per-resource") {
  const handled: string[] = [];
  const receiver = createReceiver({ ...silent, inbox: memoryInbox(), order })
    .on("PAYMENT", (event) => void handled.push(event.id))
    .on("CUSTOMER", (event) => void handled.push(event.id));
  const send = async (event: object): Promise<Outcome["kind"]> =>
    (await receiver.receive(attemptOf(event))).kind;
  return { receiver, handled, send };
}

describe("with order 'per-resource', an event", () => {
  it("[R-ORDER-GUARD] of a lower rank than the last handled one of its resource is superseded, whatever its time", async () => {
    const { receiver, handled, send } = ordered();
    expect(await send(refund("refund.authorized", { id: "second", at: 0 }))).toBe("handled");
    const outcome = await receiver.receive(
      attemptOf(refund("refund.pending", { id: "first", at: 60_000 })),
    );
    expect(outcome.kind).toBe("superseded");
    expect(defaultRespond(outcome).status).toBe(204);
    expect(await send(refund("refund.pending", { id: "first", at: 60_000 }))).toBe("duplicate");
    expect(handled).toEqual(["second"]);
  });

  it("of a type without a rank is superseded by its time, and ties run", async () => {
    const { handled, send } = ordered();
    const customer = (
      id: string,
      type: "customer.activated" | "customer.deactivated",
      at: number,
    ): object =>
      factories[type]({ id, timestamp: new Date(NOON + at).toISOString(), data: { id: "cus_1" } });
    expect(await send(customer("late", "customer.deactivated", 1000))).toBe("handled");
    expect(await send(customer("early", "customer.activated", 999))).toBe("superseded");
    expect(await send(customer("tie", "customer.activated", 1000))).toBe("handled");
    expect(handled).toEqual(["late", "tie"]);
  });

  it("of another resource, or of another kind with the same id, runs", async () => {
    const { send } = ordered();
    await send(refund("refund.failed", { id: "a", of: "shared" }));
    expect(await send(refund("refund.pending", { id: "b", of: "other" }))).toBe("handled");
    const payment = factories["payment.created"]({ id: "c", data: { paymentId: "shared" } });
    expect(await send(payment)).toBe("handled");
  });

  it("of a resource whose event is being handled is answered in_progress", async () => {
    const gate = Promise.withResolvers<void>();
    const { receiver, send } = ordered();
    receiver.on("refund.authorized", () => gate.promise);
    const first = send(refund("refund.authorized", { id: "a" }));
    await setImmediate();
    const second = await receiver.receive(attemptOf(refund("refund.pending", { id: "b" })));
    expect(second).toMatchObject({ kind: "in_progress", retryAfterSeconds: 60 });
    gate.resolve();
    expect(await first).toBe("handled");
  });

  it("never runs after one that is further along", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...(Object.keys(ranks) as RefundType[])), {
          minLength: 2,
          maxLength: 12,
        }),
        async (types) => {
          const { handled, send } = ordered();
          for (const [index, type] of types.entries())
            await send(refund(type, { id: `evt_${String(index)}` }));
          const seen = handled.map((id) => ranks[types[Number(id.slice(4))] ?? "refund.pending"]);
          expect(seen).toEqual(seen.toSorted((a, b) => a - b));
          // Nothing else is skipped: each that is not older than all before it ran.
          const expected = types.filter((type, index) =>
            types.slice(0, index).every((before) => ranks[before] <= ranks[type]),
          );
          expect(handled).toHaveLength(expected.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe("without an order, an event", () => {
  it("[R-ORDER-NONE] runs whatever arrived before it", async () => {
    const { handled, send } = ordered("none");
    await send(refund("refund.authorized", { id: "second" }));
    expect(await send(refund("refund.pending", { id: "first" }))).toBe("handled");
    expect(handled).toEqual(["second", "first"]);
  });
});
