import { describe, expect, it } from "vitest";
import { deliveryStore } from "../../src/store/tables/delivery-queue.ts";
import { failCommit, hookedDriver, type DriverHooks } from "../hooked-driver.ts";
import { answered, fakeTransport, heldTransport, openQueue, policy, type Queue } from "./queue.ts";

const succeeding = () => fakeTransport(() => answered(204));

const summary = async (queue: Queue): Promise<string[]> =>
  (await queue.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`);
const claims = (queue: Queue): Promise<unknown[]> =>
  queue.driver.query("SELECT id FROM deliveries WHERE claimed_until > 0");

describe("a process that stops delivering", () => {
  it("waits for attempts in flight, starts no others, and leaves no claim", async () => {
    const queue = await openQueue("sub_1");
    await queue.publish(3, ["sub_1"]);
    const { transport, inFlight, answer } = heldTransport();
    const engine = queue.engine(transport, { policy: { concurrencyPerEndpoint: 1 } });
    await expect.poll(inFlight).toBe(1);
    expect(await claims(queue)).toHaveLength(1);
    const stopped = engine.stop({ graceMs: 60_000 });
    answer(204);
    await stopped;
    expect(await summary(queue)).toEqual(["delivered 1", "waiting 0", "waiting 0"]);
    expect(await claims(queue)).toEqual([]);
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
        observer: { storeFailed: (error) => failures.push(error) },
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
