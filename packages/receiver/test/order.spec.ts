import { setImmediate } from "node:timers/promises";
import { defaultRespond, memoryInbox } from "@countersign/receiver";
import { eventFactories } from "@countersign/receiver/testing";
import { describe, expect, it } from "vitest";
import { NOON, recordingReceiver } from "./fixtures.ts";

const factories = eventFactories();
const refund = (
  type: "refund.pending" | "refund.authorized" | "refund.failed",
  { id, at = 0, of = "ref_1" }: { id: string; at?: number; of?: string },
): object =>
  factories[type]({ id, timestamp: new Date(NOON + at).toISOString(), data: { paymentId: of } });

describe("with order 'per-resource', an event", () => {
  it("T-27 [R-ORDER-GUARD] of a lower rank than the last handled one of its resource is superseded, whatever its time", async () => {
    const { handled, send } = recordingReceiver({ order: "per-resource" });
    const older = refund("refund.pending", { id: "first", at: 60_000 });
    expect((await send(refund("refund.authorized", { id: "second" }))).kind).toBe("handled");
    const outcome = await send(older);
    expect([outcome.kind, defaultRespond(outcome).status]).toEqual(["superseded", 204]);
    expect((await send(older)).kind).toBe("duplicate");
    expect(handled).toEqual(["PAYMENT second"]);
  });

  it("of a type without a rank is superseded by its time, and ties run", async () => {
    const { handled, send } = recordingReceiver({ order: "per-resource" });
    const customer = (type: "activated" | "deactivated", at: number): object =>
      factories[`customer.${type}`]({
        timestamp: new Date(NOON + at).toISOString(),
        data: { id: "cus_1" },
      });
    await send(customer("deactivated", 1000));
    expect((await send(customer("activated", 999))).kind).toBe("superseded");
    await send(customer("activated", 1000));
    expect(handled).toHaveLength(2);
  });

  it("of another resource, or of another kind with the same id, runs", async () => {
    const { send } = recordingReceiver({ order: "per-resource" });
    await send(refund("refund.failed", { id: "a", of: "shared" }));
    expect((await send(refund("refund.pending", { id: "b", of: "other" }))).kind).toBe("handled");
    const payment = factories["payment.created"]({ id: "c", data: { paymentId: "shared" } });
    expect((await send(payment)).kind).toBe("handled");
    const unknown = { ...refund("refund.pending", { id: "d", of: "shared" }), type: "refund.new" };
    expect((await send(unknown)).kind).toBe("handled");
  });

  it("whose claim is lost while an older state is skipped is CS_CLAIM_LOST", async () => {
    const inbox = memoryInbox();
    const { send } = recordingReceiver({ order: "per-resource", inbox: { ...inbox, complete } });
    function complete(given: Parameters<typeof inbox.complete>[0]): Promise<boolean> {
      return given.superseded === true ? Promise.resolve(false) : inbox.complete(given);
    }
    await send(refund("refund.authorized", { id: "second" }));
    expect(await send(refund("refund.pending", { id: "first" }))).toMatchObject({
      code: "CS_CLAIM_LOST",
      error: { message: "another attempt has taken over the event" },
    });
  });

  it("of a resource whose event is being handled is answered in_progress", async () => {
    const gate = Promise.withResolvers<void>();
    const { receiver, send } = recordingReceiver({ order: "per-resource" });
    receiver.on("refund.authorized", () => gate.promise);
    const first = send(refund("refund.authorized", { id: "a" }));
    await setImmediate();
    const second = await send(refund("refund.pending", { id: "b" }));
    expect(second).toMatchObject({ kind: "in_progress", retryAfterSeconds: 60 });
    gate.resolve();
    expect((await first).kind).toBe("handled");
  });
});

it("[R-ORDER-NONE] an event without an order runs whatever arrived before it", async () => {
  const inbox = memoryInbox();
  const ordered = recordingReceiver({ inbox, order: "per-resource" });
  const { handled, send } = recordingReceiver({ inbox });
  await ordered.send(refund("refund.authorized", { id: "second" }));
  await send(refund("refund.pending", { id: "first" }));
  expect(handled).toEqual(["PAYMENT first"]);
});
