import { describe, expect, it } from "vitest";
import { Deliverer } from "../../src/delivery/deliver.ts";
import type { DeliveryPolicy } from "../../src/delivery/policy.ts";
import { StoreUnavailableError } from "../../src/store/driver.ts";
import { failCommit, hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import {
  answered,
  fakeTransport,
  heldTransport,
  openQueue,
  policy,
  SOON,
  type Queue,
} from "./queue.ts";

const succeeding = () => fakeTransport(() => answered(204));

/** A deliverer with one attempt in flight, of so many that are due. */
async function inFlight(due: number, change: Partial<DeliveryPolicy> = {}) {
  const queue = await openQueue("sub_1");
  await queue.publish(due, ["sub_1"]);
  const held = heldTransport();
  const deliverer = queue.deliverer(held.transport, change);
  deliverer.wake("clk_1");
  await expect.poll(held.inFlight, SOON).toBeGreaterThan(0);
  return { queue, deliverer, ...held };
}

const summary = async (queue: Queue): Promise<string[]> =>
  (await queue.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`);

describe("a deliverer", () => {
  it("attempts each delivery once, however often it is woken", async () => {
    const queue = await openQueue("sub_1");
    await queue.publish(50, ["sub_1"]);
    const transport = succeeding();
    const deliverer = queue.deliverer(transport);
    for (let count = 0; count < 20; count += 1) deliverer.wake("clk_1");
    await Promise.all([deliverer.drain("clk_1"), deliverer.drain("clk_1")]);
    deliverer.wake("clk_1");
    await deliverer.drain("clk_1");
    expect(transport.posts).toHaveLength(50);
    expect(new Set(await summary(queue))).toEqual(new Set(["delivered 1"]));
  });

  it("is not drained while another clock's attempts take all the room", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_live", { clockId: "live" });
    await queue.subscribe("sub_1");
    await queue.enqueue("sub_live", { clockId: "live" });
    const { transport, answer, inFlight: posting } = heldTransport();
    const deliverer = queue.deliverer(transport, { concurrency: 1 });
    deliverer.wake("live");
    await expect.poll(posting, SOON).toBe(1);
    await queue.enqueue("sub_1");
    let isDrained = false;
    const drained = deliverer.drain("clk_1").then(() => (isDrained = true));
    await queue.passTurns();
    expect(isDrained).toBe(false);
    answer(204);
    await expect.poll(posting, SOON).toBe(1);
    answer(204);
    await drained;
    expect(await queue.states()).toEqual(["delivered", "delivered"]);
  });

  it("records what it has attempted once the store answers again", async () => {
    const queue = await openQueue("sub_1");
    await queue.enqueue("sub_1");
    const { transport, answer, inFlight: posting } = heldTransport();
    const hooks: DriverHooks = {};
    const failures: unknown[] = [];
    const ports = { ...queue.ports(transport), driver: hookedDriver(queue.driver, hooks) };
    const failed = (error: unknown): void => {
      failures.push(error);
      hooks.commit = undefined;
    };
    const done = new Deliverer(ports, policy, { failed }).drain("clk_1");
    await expect.poll(posting, SOON).toBe(1);
    hooks.commit = failCommit;
    answer(204);
    await done;
    expect(failures).toHaveLength(1);
    expect(await summary(queue)).toEqual(["delivered 1"]);
    expect(transport.posts).toHaveLength(1);
  });

  it("refuses a lease too short for its deadline, and caps below one", async () => {
    const ports = (await openQueue()).ports();
    for (const change of [
      { leaseMs: 19_999 },
      { leaseMs: Number.NaN },
      { concurrency: 0 },
      { concurrencyPerSubscription: 0 },
    ]) {
      expect(() => new Deliverer(ports, { ...policy, ...change })).toThrow(TypeError);
    }
  });

  it("claims anew, and does not attempt, what would outlast its lease", async () => {
    const { queue, transport, answer, inFlight: posting } = await inFlight(3, { concurrency: 1 });
    // So long did the first one take.
    queue.realNow += policy.leaseMs - policy.deadlineMs;
    answer(204);
    await expect.poll(posting, SOON).toBe(1);
    const leased = (await queue.deliveries()).filter(({ leased_until }) => leased_until > 0);
    expect(leased.length).toBeGreaterThan(0);
    for (const { leased_until, attempts } of leased) {
      expect([leased_until, attempts]).toEqual([queue.realNow + policy.leaseMs, 1]);
    }
    expect(transport.posts[0]?.headers["webhook-id"]).toBe("evt_1");
  });
});

describe("a deliverer that stops", () => {
  it("waits for attempts in flight and gives the others back unnumbered", async () => {
    const { queue, deliverer, answer } = await inFlight(3, { concurrencyPerSubscription: 1 });
    const stopped = deliverer.stop({ graceMs: 5000 });
    answer(204);
    await stopped;
    expect(await summary(queue)).toEqual(["delivered 1", "waiting 0", "waiting 0"]);
    expect(new Set((await queue.deliveries()).map((row) => row.leased_until))).toEqual(
      new Set([0]),
    );
  });

  it("gives back an attempt that does not end in time, and another worker makes it at once", async () => {
    const { queue, deliverer, answer } = await inFlight(1);
    await deliverer.stop({ graceMs: 10 });
    expect(await queue.deliveries()).toMatchObject([
      { state: "waiting", attempts: 1, leased_until: 0 },
    ]);
    answer(500);
    await queue.passTurns();
    expect(await queue.attempts()).toEqual([]);
    await queue.deliverer(succeeding()).drain("clk_1");
    expect(await queue.attempts()).toMatchObject([{ number: 2, status: 204 }]);
  });

  it("ends while the store takes nothing, and another worker goes on when its leases have ended", async () => {
    const queue = await openQueue("sub_1");
    await queue.publish(3, ["sub_1"]);
    const held = heldTransport();
    let isClosed = false;
    const close = async (): Promise<void> => void (isClosed = true);
    const hooks: DriverHooks = {};
    const driver = hookedDriver(queue.driver, hooks);
    const failures: unknown[] = [];
    const failed = (error: unknown): number => failures.push(error);
    const ports = { ...queue.ports({ ...held.transport, close }), driver };
    const one = new Deliverer(ports, { ...policy, concurrency: 1 }, { failed });
    one.wake("clk_1");
    await expect.poll(held.inFlight, SOON).toBe(1);
    hooks.commit = failCommit;
    await one.stop({ graceMs: 10 });
    expect(isClosed).toBe(true);
    // What had not begun, and what had.
    const unavailable = expect.any(StoreUnavailableError) as unknown;
    expect(failures).toEqual([unavailable, unavailable]);
    const leased_until = queue.realNow + policy.leaseMs;
    expect(await queue.deliveries()).toMatchObject(
      [1, 2, 3].map(() => ({ state: "waiting", leased_until })),
    );
    queue.realNow += policy.leaseMs;
    await queue.deliverer(succeeding()).drain("clk_1");
    expect(await queue.states()).toEqual(["delivered", "delivered", "delivered"]);
  });
});

it("a deliverer that dies leaves its deliveries to others once its leases end, and its late answers change nothing", async () => {
  // Never answered, never recorded: as far as the database can tell, this process is gone.
  const { queue, answer, inFlight: posting } = await inFlight(3);
  await expect.poll(posting, SOON).toBe(3);
  const transport = succeeding();
  const successor = queue.deliverer(transport);
  await successor.drain("clk_1");
  expect(transport.posts).toHaveLength(0);
  queue.realNow += policy.leaseMs;
  await successor.drain("clk_1");
  expect(transport.posts).toHaveLength(3);
  while (posting() > 0) answer(500);
  await successor.drain("clk_1");
  expect(await summary(queue)).toEqual(["delivered 2", "delivered 2", "delivered 2"]);
});
