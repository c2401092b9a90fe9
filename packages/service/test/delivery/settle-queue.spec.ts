import { expect, it } from "vitest";
import type { Attempt } from "../../src/delivery/attempt.ts";
import { SettleQueue } from "../../src/delivery/settle-queue.ts";
import type { Driver } from "../../src/store/driver.ts";
import { answered, claimDue, fakeTransport, openQueue, policy } from "./queue.ts";

/** Attempts at three deliveries, and a queue that settles them. */
async function settling(): Promise<{
  queue: SettleQueue;
  attempts: Attempt[];
  transactions: () => number;
}> {
  const rows = await openQueue();
  await rows.subscribe("sub_1");
  for (let count = 0; count < 3; count += 1) await rows.enqueue("sub_1");
  const ports = rows.ports(fakeTransport(() => answered(204)));
  const attempts = (await claimDue("clk_1", ports)).map((claim) => ({
    claim,
    startedAt: rows.realNow,
    durationMs: 1,
    answer: answered(500),
  }));
  let transactions = 0;
  const driver = new Proxy(rows.driver, {
    get: (target, name: keyof Driver) => {
      if (name === "transaction") transactions += 1;
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? (own.bind(target) as unknown) : own;
    },
  });
  const queue = new SettleQueue({ ...ports, driver }, policy, {
    observer: {},
    isMoreToCome: () => false,
    beforeGroup: () => {},
  });
  return { queue, attempts, transactions: () => transactions };
}

it("settles what is in no hurry with the others, in one transaction", async () => {
  const { queue, attempts, transactions } = await settling();
  await Promise.all(attempts.map((attempt, number) => queue.settle(attempt, number < 2)));
  expect([transactions(), queue.size]).toEqual([1, 0]);
});

it("settles what is in no hurry by itself, where there are no others", async () => {
  const { queue, attempts, transactions } = await settling();
  const start = performance.now();
  await Promise.all(attempts.map((attempt) => queue.settle(attempt, true)));
  expect([transactions(), queue.size]).toEqual([1, 0]);
  expect(performance.now() - start).toBeGreaterThan(98);
});

it("lets nothing wait once it is told to hurry", async () => {
  const { queue, attempts } = await settling();
  const start = performance.now();
  const [first, ...later] = attempts.map((attempt, number) => {
    if (number === 1) queue.hurry();
    return queue.settle(attempt, true);
  });
  await Promise.all([first, ...later]);
  expect(performance.now() - start).toBeLessThan(98);
});
