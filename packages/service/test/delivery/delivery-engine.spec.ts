import { describe, expect, it, onTestFinished } from "vitest";
import { createDeliveryEngine, type DeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import type { Transport } from "../../src/delivery/transport.ts";
import { answered, fakeTransport, openQueue, policy, REAL_START, type Queue } from "./queue.ts";
import { SOON } from "./soon.ts";

function engine(
  queue: Queue,
  transport: Transport,
  options: { pollMs?: number; failed?: (error: unknown) => void } = {},
): DeliveryEngine {
  const { pollMs = 1_000_000, failed = () => {} } = options;
  const one = createDeliveryEngine({
    ...queue.ports(transport),
    policy,
    moveDueRefunds: async () => ({ passedOver: [] }),
    observer: { failed },
    pollMs,
  });
  onTestFinished(() => one.stop({ graceMs: 0 }));
  return one;
}

describe("a delivery engine", () => {
  it("delivers what waited while nobody ran, of every clock", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.subscribe("sub_live", { clockId: "live" });
    await queue.enqueue("sub_1");
    await queue.enqueue("sub_live", { clockId: "live" });
    const transport = fakeTransport(() => answered(204));
    engine(queue, transport).start();
    await expect.poll(() => transport.posts.length, SOON).toBe(2);
  });

  it("follows a hint without waiting for its poll", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    const transport = fakeTransport(() => answered(204));
    const one = engine(queue, transport);
    one.start();
    await queue.enqueue("sub_1");
    one.onWork();
    await expect.poll(() => transport.posts.length, SOON).toBe(1);
  });

  it("finds by polling what nobody has hinted at", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_live", { clockId: "live" });
    const transport = fakeTransport(() => answered(204));
    engine(queue, transport, { pollMs: 5 }).start();
    await queue.enqueue("sub_live", { clockId: "live", nextAt: REAL_START + 60_000 });
    expect(transport.posts).toHaveLength(0);
    queue.realNow += 60_000;
    await expect.poll(() => transport.posts.length, SOON).toBe(1);
  });

  it("moves live refunds when they are due", async () => {
    const queue = await openQueue();
    await queue.write(
      `INSERT INTO customers (id, merchant_id, clock_id, first_name, last_name, email, status, created_at)
       VALUES ('cus_1', 'mer_live', 'live', 'A', 'B', 'a@example.test', 'ACTIVE', 0)`,
      [],
    );
    await queue.write(
      `INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, amount_cents, status,
         request_key, created_at, due_at)
       VALUES ('ref_1', 'mer_live', 'live', 'cus_1', 'CREDIT', 100, 'PENDING', 'key-1', 0, $1)`,
      [REAL_START + 1],
    );
    const moved: { clockId: string; now: number }[] = [];
    const one = createDeliveryEngine({
      ...queue.ports(fakeTransport(() => answered(204))),
      policy,
      moveDueRefunds: async (due) => {
        moved.push(due);
        return { passedOver: [] };
      },
      pollMs: 5,
    });
    onTestFinished(() => one.stop());
    one.start();
    await queue.passTurns();
    expect(moved).toEqual([]);
    queue.realNow += 1;
    await expect.poll(() => moved[0], SOON).toEqual({ clockId: "live", now: REAL_START + 1 });
  });

  it("does nothing before start and after stop", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1");
    const transport = fakeTransport(() => answered(204));
    const one = engine(queue, transport, { pollMs: 1 });
    one.onWork();
    await queue.passTurns();
    expect(transport.posts).toHaveLength(0);
    await one.stop();
    one.start();
    one.onWork();
    await queue.passTurns();
    expect(transport.posts).toHaveLength(0);
    await expect(one.stop()).resolves.toBeUndefined();
  });
});
