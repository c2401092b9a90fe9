import { describe, expect, it } from "vitest";
import { DueClock } from "../../src/clock.ts";
import { Leases } from "../../src/delivery/leases.ts";
import type { DeliveryStore } from "../../src/delivery/types.ts";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { failCommit, hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { answered, fakeTransport, heldTransport, openQueue, policy, type Queue } from "./queue.ts";

/** The membership of a process `a`, in its monotonic time. */
function leasesAt(elapsed: () => number, store: DeliveryStore, leaseMs = policy.leaseMs): Leases {
  const clock = { now: () => 0, elapsed, sleep: async () => {} };
  const ports = { store, clock, dueClock: new DueClock(clock) };
  return new Leases("a", ports, { ...policy, leaseMs }, {});
}

const succeeding = () => fakeTransport(() => answered(204));

const summary = async (queue: Queue): Promise<string[]> =>
  (await queue.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`);
const memberships = (queue: Queue): Promise<unknown[]> =>
  queue.driver.query(
    `SELECT id AS name FROM delivery_members UNION ALL SELECT subscription_key FROM endpoint_leases`,
  );

describe("a process that stops delivering", () => {
  it("waits for attempts in flight, starts no others, and gives its leases back at once", async () => {
    const queue = await openQueue("sub_1");
    await queue.publish(3, ["sub_1"]);
    const { transport, inFlight, answer } = heldTransport();
    const engine = queue.engine(transport, { policy: { concurrencyPerEndpoint: 1 } });
    await expect.poll(inFlight).toBe(1);
    expect(await memberships(queue)).not.toEqual([]);
    const stopped = engine.stop({ graceMs: 60_000 });
    answer(204);
    await stopped;
    expect(await summary(queue)).toEqual(["delivered 1", "waiting 0", "waiting 0"]);
    expect(await memberships(queue)).toEqual([]);
    engine.start();
    engine.onWork("anything");
    await queue.passTurns();
    expect(transport.posts).toHaveLength(1);
    await expect(engine.stop()).resolves.toBeUndefined();
  });

  it("[P-EVENT-RESTART] ends while the store fails, and its successor continues", async () => {
    const hooks: DriverHooks = {};
    const failures: unknown[] = [];
    const queue = await openQueue("sub_1");
    await queue.publish(3, ["sub_1"]);
    const held = heldTransport();
    let isClosed = false;
    const close = async (): Promise<void> => void (isClosed = true);
    const engine = queue.engine(
      { ...held.transport, close },
      {
        store: deliveryStore(hookedDriver(queue.driver, hooks)),
        policy: { concurrencyPerEndpoint: 1 },
        observer: { failed: (error) => failures.push(error) },
      },
    );
    await expect.poll(held.inFlight).toBe(1);
    hooks.commit = failCommit;
    held.answer(204);
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    await engine.stop({ graceMs: 0 });
    hooks.commit = undefined;
    expect(isClosed).toBe(true);
    expect(failures.at(-1)).toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
    expect(await summary(queue)).toEqual(["waiting 0", "waiting 0", "waiting 0"]);
    await queue.engine(succeeding()).drain("clk_1");
    expect(await summary(queue)).toEqual(["delivered 1", "delivered 1", "delivered 1"]);
  });
});

it("[P-EVENT-RETRY] a delivery keeps its whole retry schedule when each attempt is first cut short by the end of its process", async () => {
  const queue = await openQueue("sub_1");
  await queue.enqueue("sub_1");
  const { steps } = policy.schedule;
  const waits: number[] = [];
  for (const _ of steps) {
    const held = heldTransport();
    const cut = queue.engine(held.transport);
    await expect.poll(held.inFlight).toBe(1);
    await cut.stop({ graceMs: 0 });
    const failing = queue.engine(fakeTransport(() => answered(500)));
    await failing.drain("clk_1");
    await failing.stop();
    const [row] = await queue.deliveries();
    const [at = 0, next] = [await queue.instant(), row?.next_at ?? undefined];
    if (next === undefined) break;
    waits.push(next - at);
    await queue.write("UPDATE clocks SET instant = $1 WHERE id = 'clk_1'", [next]);
  }
  expect(waits).toEqual(steps.slice(1));
  expect(await summary(queue)).toEqual([`exhausted ${steps.length}`]);
  expect(await queue.attempts()).toHaveLength(steps.length);
});

it("a lease covers an attempt that starts at least its deadline and a second before the lease ends", async () => {
  const queue = await openQueue();
  const leases = leasesAt(() => 7000, queue.store);
  expect(leases.covers(7000)).toBe(false);
  await leases.keep(0);
  const last = 7000 + policy.leaseMs - policy.deadlineMs - 1000;
  expect([leases.covers(last), leases.covers(last + 1)]).toEqual([true, false]);
});

it("a process that has not beaten for a lease is kept by one that could not beat meanwhile", async () => {
  const queue = await openQueue();
  await queue.store.join("b");
  let elapsed = 0;
  const leases = leasesAt(() => elapsed, queue.store);
  for (elapsed of [0, 5000, 10_000, 15_000, 20_000, 31_000]) await leases.keep(0);
  const { members } = await queue.store.beat({ id: "a", beat: 99, now: 0 });
  expect(members.map(({ id }) => id).toSorted()).toEqual(["a", "b"]);
});

it("a process with leases of a minute beats every five seconds", async () => {
  const queue = await openQueue();
  let [elapsed, beats] = [7000, 0];
  const beat: typeof queue.store.beat = (one) => {
    beats += 1;
    return queue.store.beat(one);
  };
  const leases = leasesAt(() => elapsed, { ...queue.store, beat }, 60_000);
  const beatsAfter = async (ms: number): Promise<number> => {
    elapsed += ms;
    await leases.keep(0);
    return beats;
  };
  expect([await beatsAfter(0), await beatsAfter(4999), await beatsAfter(1)]).toEqual([1, 1, 2]);
});
