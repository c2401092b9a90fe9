import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import type { Transport } from "../../src/delivery/transport.ts";
import {
  answered,
  CLOCK_START,
  fakeTransport,
  heldTransport,
  openEngine,
  openQueue,
  policy,
  REAL_START,
  SOON,
  type Queue,
} from "./queue.ts";

const HOUR = 3_600_000;
type MoveDueRefunds = (due: { clockId: string; now: number }) => Promise<void>;

/** An engine over a queue, whose refunds move as the test says. */
const engineOver = (
  queue: Queue,
  transport: Transport,
  { moveDueRefunds, ...options }: { pollMs?: number; moveDueRefunds?: MoveDueRefunds } = {},
): DeliveryEngine =>
  openEngine(queue.ports(transport), {
    ...options,
    moveDueRefunds: async (due) => {
      await moveDueRefunds?.(due);
      return { passedOver: [] };
    },
  });
const succeeding = () => fakeTransport(() => answered(204));

/** A refund of a new customer that is due at an instant of a clock. */
async function addDueRefund(queue: Queue, clockId: "clk_1" | "live", dueAt: number): Promise<void> {
  const merchant = clockId === "live" ? "mer_live" : "mer_1";
  await queue.write(
    `INSERT INTO customers (id, merchant_id, clock_id, first_name, last_name, email, status, created_at)
     VALUES ('cus_1', $1, $2, 'A', 'B', 'a@example.test', 'ACTIVE', 0)`,
    [merchant, clockId],
  );
  await queue.write(
    `INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, amount_cents, status,
       request_key, created_at, due_at)
     VALUES ('ref_1', $1, $2, 'cus_1', 'CREDIT', 100, 'PENDING', 'key-1', 0, $3)`,
    [merchant, clockId, dueAt],
  );
}

describe("the delivery engine", () => {
  it("delivers what waited while no process ran, on every clock", async () => {
    const queue = await openQueue("sub_1");
    await queue.subscribe("sub_live", { clockId: "live" });
    await queue.enqueue("sub_1");
    await queue.enqueue("sub_live", { clockId: "live" });
    const transport = succeeding();
    engineOver(queue, transport).start();
    await expect.poll(() => transport.posts.length, SOON).toBe(2);
  });

  it("delivers new work at once after a hint, and without one at the next poll", async () => {
    const queue = await openQueue("sub_1");
    await queue.subscribe("sub_live", { clockId: "live" });
    const transport = succeeding();
    const hinted = engineOver(queue, transport);
    hinted.start();
    await queue.enqueue("sub_1");
    hinted.onWork();
    await expect.poll(() => transport.posts.length, SOON).toBe(1);
    engineOver(queue, transport, { pollMs: 5 }).start();
    await queue.enqueue("sub_live", { clockId: "live", nextAt: REAL_START + 60_000 });
    await queue.passTurns();
    expect(transport.posts).toHaveLength(1);
    queue.realNow += 60_000;
    await expect.poll(() => transport.posts.length, SOON).toBe(2);
  });

  it("moves live refunds when they are due", async () => {
    const queue = await openQueue();
    await addDueRefund(queue, "live", REAL_START + 1);
    const moved: { clockId: string; now: number }[] = [];
    const moveDueRefunds: MoveDueRefunds = async (due) => void moved.push(due);
    engineOver(queue, succeeding(), { pollMs: 5, moveDueRefunds }).start();
    await queue.passTurns();
    expect(moved).toEqual([]);
    queue.realNow += 1;
    await expect.poll(() => moved[0], SOON).toEqual({ clockId: "live", now: REAL_START + 1 });
  });

  it("does nothing before start and after stop", async () => {
    const queue = await openQueue("sub_1");
    await queue.enqueue("sub_1");
    const transport = succeeding();
    const one = engineOver(queue, transport, { pollMs: 1 });
    one.onWork();
    await queue.passTurns();
    await one.stop();
    one.start();
    one.onWork();
    await queue.passTurns();
    expect(transport.posts).toHaveLength(0);
    await expect(one.stop()).resolves.toBeUndefined();
  });
});

describe("a sandbox clock that moves forward", () => {
  it("stops at each retry of a failing delivery, which is scheduled from that instant with jitter", async () => {
    const queue = await openQueue();
    await queue.subscribeMany(1);
    const seen: (number | undefined)[] = [];
    const transport = fakeTransport(async () => {
      seen.push(await queue.instant());
      return answered(seen.length < 4 ? 500 : 204);
    });
    const to = CLOCK_START + 24 * HOUR;
    const engine = openEngine(queue.ports(transport), {
      policy: { ...policy, schedule: { ...policy.schedule, jitter: 0.1 } },
      random: { bytes: (length) => Buffer.alloc(length) },
    });
    const outcome = await engine.advanceClock("clk_1", to);
    // A tenth less by jitter: the least that random bytes may say.
    const retries = [4500, 274_500, 1_894_500].map((after) => CLOCK_START + after);
    expect(seen).toEqual([CLOCK_START, ...retries]);
    expect(outcome).toEqual({ ok: true, now: to, instants: retries });
    expect(await queue.instant()).toBe(to);
  });

  it("moves refunds at their own instants, before the deliveries that they cause", async () => {
    const queue = await openQueue("sub_1");
    const due = CLOCK_START + 3 * HOUR;
    await addDueRefund(queue, "clk_1", due);
    const moved: number[] = [];
    const seen: (number | undefined)[] = [];
    const transport = fakeTransport(async () => {
      seen.push(await queue.instant());
      return answered(204);
    });
    const moveDueRefunds: MoveDueRefunds = async ({ now }) => {
      if (now < due || moved.length > 0) return;
      moved.push(now);
      await queue.write("UPDATE payments SET status = 'AUTHORIZED', due_at = NULL");
      await queue.enqueue("sub_1", { nextAt: now });
    };
    const engine = engineOver(queue, transport, { moveDueRefunds });
    const outcome = await engine.advanceClock("clk_1", CLOCK_START + 24 * HOUR);
    expect([moved, seen]).toEqual([[due], [due]]);
    expect(outcome).toMatchObject({ instants: [due] });
  });

  it("reaches the requested time inclusively, and never moves back", async () => {
    const queue = await openQueue("sub_1");
    await queue.enqueue("sub_1", { nextAt: CLOCK_START + HOUR });
    const transport = succeeding();
    const engine = engineOver(queue, transport);
    await engine.advanceClock("clk_1", CLOCK_START + HOUR - 1);
    expect(transport.posts).toHaveLength(0);
    await engine.advanceClock("clk_1", CLOCK_START + HOUR);
    expect(transport.posts).toHaveLength(1);
    expect(await engine.advanceClock("clk_1", CLOCK_START + HOUR - 1)).toEqual({
      ok: false,
      code: "CLOCK_GOES_FORWARD",
      now: CLOCK_START + HOUR,
    });
    expect(await queue.instant()).toBe(CLOCK_START + HOUR);
    await expect(engine.advanceClock("live", CLOCK_START)).rejects.toThrow(TypeError);
  });

  it("passes a paused subscription and a dead worker's lease", async () => {
    const queue = await openQueue();
    await queue.subscribeMany(2);
    await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_0'");
    await queue.write("UPDATE deliveries SET leased_until = $1 WHERE subscription_key = 'sub_1'", [
      queue.realNow + 1,
    ]);
    const engine = engineOver(queue, succeeding());
    const outcome = await engine.advanceClock("clk_1", CLOCK_START + HOUR);
    expect(outcome).toMatchObject({ ok: true, instants: [] });
  });

  it("stands where the engine was stopped, and goes on from there with another one", async () => {
    const queue = await openQueue("sub_1");
    const reached = CLOCK_START + HOUR;
    await queue.enqueue("sub_1", { nextAt: reached });
    const { transport, inFlight, answer } = heldTransport();
    const one = engineOver(queue, transport);
    const moving = one.advanceClock("clk_1", CLOCK_START + 24 * HOUR);
    await expect.poll(inFlight, SOON).toBe(1);
    await one.stop({ graceMs: 0 });
    answer(204);
    expect(await moving).toEqual({ ok: false, code: "ENGINE_STOPPED", now: reached });
    expect(await queue.instant()).toBe(reached);
    const other = engineOver(queue, succeeding());
    await other.advanceClock("clk_1", CLOCK_START + 24 * HOUR);
    expect(await queue.deliveries()).toMatchObject([{ state: "delivered", attempts: 2 }]);
  });

  it("leaves the same deliveries after one move and after many", async () => {
    const end = 8 * 3600;
    /** Stops the clock at seconds after its start; the first `failing` attempts fail. */
    const run = async (stops: readonly number[], failing: number) => {
      const queue = await openQueue();
      await queue.subscribeMany(1);
      const seen: (number | undefined)[] = [];
      const transport = fakeTransport(async (_, count) => {
        seen.push(await queue.instant());
        return answered(count <= failing ? 500 : 204);
      });
      const engine = engineOver(queue, transport);
      for (const stop of stops) await engine.advanceClock("clk_1", CLOCK_START + stop * 1000);
      return { seen, deliveries: await queue.deliveries(), instant: await queue.instant() };
    };
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: end - 1 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.nat(6), async (stops, failing) => {
        const many = await run([...stops.toSorted((a, b) => a - b), end], failing);
        expect(many).toEqual(await run([end], failing));
      }),
      { numRuns: 6 },
    );
  });
});
