import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDeliveryEngine, type DeliveryEngine } from "../../src/delivery/delivery-engine.ts";
import type { Answer, Transport } from "../../src/delivery/transport.ts";
import { answered, CLOCK_START, fakeTransport, openQueue, policy, type Queue } from "./queue.ts";
import { SOON } from "./soon.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function engine(
  queue: Queue,
  transport: Transport,
  moveDueRefunds: (due: { clockId: string; now: number }) => Promise<void> = async () => {},
): DeliveryEngine {
  const one = createDeliveryEngine({
    ...queue.ports(transport),
    policy,
    moveDueRefunds: async (due) => {
      await moveDueRefunds(due);
      return { passedOver: [] };
    },
  });
  onTestFinished(() => one.stop({ graceMs: 0 }));
  return one;
}

describe("a sandbox clock that goes forward", () => {
  it("stops at each attempt of a failing delivery, and each is counted from that instant", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1");
    const seen: number[] = [];
    const transport = fakeTransport(async () => {
      seen.push((await queue.instant()) ?? 0);
      return answered(seen.length < 4 ? 500 : 204);
    });
    const outcome = await engine(queue, transport).advanceClock("clk_1", CLOCK_START + 24 * HOUR);
    const steps = [5 * SECOND, 5 * MINUTE, 30 * MINUTE];
    const retries = steps.map((_, at) =>
      steps.slice(0, at + 1).reduce((sum, step) => sum + step, CLOCK_START),
    );
    expect(seen).toEqual([CLOCK_START, ...retries]);
    expect(outcome).toEqual({ ok: true, now: CLOCK_START + 24 * HOUR, instants: retries });
    expect(await queue.instant()).toBe(CLOCK_START + 24 * HOUR);
  });

  it("walks the whole schedule, and what is exhausted stays visible", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1");
    const transport = fakeTransport(() => answered(503));
    const one = engine(queue, transport);
    await one.advanceClock("clk_1", CLOCK_START + 100 * HOUR);
    expect(transport.posts).toHaveLength(10);
    expect(await queue.deliveries()).toMatchObject([
      { state: "exhausted", attempts: 10, next_at: null },
    ]);
    expect(await queue.attempts()).toHaveLength(10);
    // 5 s + 5 min + 30 min + 2 + 5 + 10 + 14 + 20 + 24 h after the first.
    expect(await queue.subscription("sub_1")).toMatchObject([
      { consecutive_failures: 10, failing_since: CLOCK_START, status: "ACTIVE" },
    ]);
  });

  it("moves refunds at their own instants, before the deliveries that they make", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    const due = CLOCK_START + 3 * HOUR;
    await debitAndRefund(queue, due);
    const moved: number[] = [];
    const seen: (number | undefined)[] = [];
    const transport = fakeTransport(async () => {
      seen.push(await queue.instant());
      return answered(204);
    });
    const one = engine(queue, transport, async ({ now }) => {
      if (now < due || moved.length > 0) return;
      moved.push(now);
      await queue.write(
        "UPDATE payments SET status = 'AUTHORIZED', due_at = NULL WHERE id = 'ref_1'",
        [],
      );
      await queue.enqueue("sub_1", { nextAt: now });
    });
    const outcome = await one.advanceClock("clk_1", CLOCK_START + 24 * HOUR);
    expect(moved).toEqual([due]);
    expect(seen).toEqual([due]);
    expect(outcome).toMatchObject({ instants: [due] });
  });

  it("reaches exactly the time asked for, inclusive", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1", { nextAt: CLOCK_START + HOUR });
    const transport = fakeTransport(() => answered(204));
    const one = engine(queue, transport);
    await one.advanceClock("clk_1", CLOCK_START + HOUR - 1);
    expect(transport.posts).toHaveLength(0);
    await one.advanceClock("clk_1", CLOCK_START + HOUR);
    expect(transport.posts).toHaveLength(1);
  });

  it("never goes back, and says where it stands", async () => {
    const queue = await openQueue();
    const one = engine(
      queue,
      fakeTransport(() => answered(204)),
    );
    await one.advanceClock("clk_1", CLOCK_START + HOUR);
    expect(await one.advanceClock("clk_1", CLOCK_START + HOUR - 1)).toEqual({
      ok: false,
      code: "CLOCK_GOES_FORWARD",
      now: CLOCK_START + HOUR,
    });
    expect(await queue.instant()).toBe(CLOCK_START + HOUR);
    expect(await one.advanceClock("clk_1", CLOCK_START + HOUR)).toMatchObject({ ok: true });
    await expect(one.advanceClock("live", CLOCK_START)).rejects.toThrow(TypeError);
  });

  it("ends although a subscription is paused or a dead worker's lease lasts", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.subscribe("sub_2");
    await queue.enqueue("sub_1");
    await queue.enqueue("sub_2");
    await queue.write("UPDATE subscriptions SET status = 'PAUSED' WHERE key = 'sub_1'", []);
    await queue.write("UPDATE deliveries SET leased_until = $1 WHERE subscription_key = 'sub_2'", [
      queue.realNow + 1,
    ]);
    const one = engine(
      queue,
      fakeTransport(() => answered(204)),
    );
    expect(await one.advanceClock("clk_1", CLOCK_START + HOUR)).toMatchObject({ instants: [] });
  });

  it("stands where the engine was stopped, and goes on from there", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_1", { nextAt: CLOCK_START + HOUR });
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const transport = fakeTransport(() => promise);
    const one = engine(queue, transport);
    const moving = one.advanceClock("clk_1", CLOCK_START + 24 * HOUR);
    await expect.poll(() => transport.posts.length, SOON).toBe(1);
    await one.stop({ graceMs: 0 });
    resolve(answered(204));
    const reached = CLOCK_START + HOUR;
    expect(await moving).toEqual({ ok: false, code: "ENGINE_STOPPED", now: reached });
    expect(await queue.instant()).toBe(reached);

    const other = engine(
      queue,
      fakeTransport(() => answered(204)),
    );
    expect(await other.advanceClock("clk_1", CLOCK_START + 24 * HOUR)).toMatchObject({ ok: true });
    expect(await queue.deliveries()).toMatchObject([{ state: "delivered", attempts: 2 }]);
  });

  it("comes to the same end in one move and in many", async () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 8 * 3600 - 1 }), { maxLength: 5 });
    const failures = fc.nat(6);
    await fc.assert(
      fc.asyncProperty(cuts, failures, async (stops, failing) => {
        const end = 8 * 3600;
        const many = await run([...stops.toSorted((a, b) => a - b), end], failing);
        expect(many).toEqual(await run([end], failing));
      }),
      { numRuns: 15 },
    );
  });
});

async function debitAndRefund(queue: Queue, dueAt: number): Promise<void> {
  await queue.write(
    `INSERT INTO customers (id, merchant_id, clock_id, first_name, last_name, email, status, created_at)
     VALUES ('cus_1', 'mer_1', 'clk_1', 'A', 'B', 'a@example.test', 'ACTIVE', 0)`,
    [],
  );
  await queue.write(
    `INSERT INTO payments (id, merchant_id, clock_id, customer_id, direction, amount_cents, status,
       request_key, created_at, due_at)
     VALUES ('ref_1', 'mer_1', 'clk_1', 'cus_1', 'CREDIT', 100, 'PENDING', 'key-1', 0, $1)`,
    [dueAt],
  );
}

/** Stops the clock at seconds after its start; the first `failing` attempts fail. */
async function run(stops: readonly number[], failing: number) {
  const queue = await openQueue();
  await queue.subscribe("sub_1");
  await queue.enqueue("sub_1");
  const seen: (number | undefined)[] = [];
  const transport = fakeTransport(async (_, count) => {
    seen.push(await queue.instant());
    return answered(count <= failing ? 500 : 204);
  });
  const one = engine(queue, transport);
  for (const stop of stops) await one.advanceClock("clk_1", CLOCK_START + stop * SECOND);
  return { seen, deliveries: await queue.deliveries(), instant: await queue.instant() };
}
