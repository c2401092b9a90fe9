import { expect, it } from "vitest";
import { Deliverer } from "../../src/delivery/deliver.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { StoreUnavailableError } from "../../src/store/driver.ts";
import { FailingDriver } from "../failing-driver.ts";
import { answered, fakeTransport, openQueue, policy } from "./queue.ts";
import { SOON } from "./soon.ts";

it("a worker that stops while the store takes nothing ends all the same, and others go on when its leases have ended", async () => {
  const queue = await openQueue();
  await queue.subscribe("sub_1");
  for (let count = 0; count < 3; count += 1) await queue.enqueue("sub_1");
  const underWay: ((answer: Answer) => void)[] = [];
  let isClosed = false;
  const transport = {
    ...fakeTransport(() => new Promise((resolve) => underWay.push(resolve))),
    close: async () => {
      isClosed = true;
    },
  };
  const failures: unknown[] = [];
  const driver = new FailingDriver(queue.driver);
  const caps = { ...policy, concurrency: 1 };
  const observer = { failed: (error: unknown) => failures.push(error) };
  const one = new Deliverer({ ...queue.ports(transport), driver }, caps, observer);
  one.wake("clk_1");
  await expect.poll(() => underWay.length, SOON).toBe(1);
  driver.failCommit = true;

  await one.stop({ graceMs: 10 });

  expect(isClosed).toBe(true);
  // What had not begun, and what had.
  expect(failures).toEqual([expect.any(StoreUnavailableError), expect.any(StoreUnavailableError)]);
  expect(await queue.deliveries()).toMatchObject([
    { state: "waiting", leased_until: queue.realNow + policy.leaseMs },
    { state: "waiting", leased_until: queue.realNow + policy.leaseMs },
    { state: "waiting", leased_until: queue.realNow + policy.leaseMs },
  ]);
  queue.realNow += policy.leaseMs;
  const successor = new Deliverer(queue.ports(fakeTransport(() => answered(204))), policy);
  await successor.drain("clk_1");
  expect((await queue.deliveries()).map(({ state }) => state)).toEqual([
    "delivered",
    "delivered",
    "delivered",
  ]);
});
