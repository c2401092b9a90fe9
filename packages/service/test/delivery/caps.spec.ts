import { setImmediate } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it, onTestFinished } from "vitest";
import { Deliverer } from "../../src/delivery/deliver.ts";
import { deliveryPolicyOf, type DeliveryPolicy } from "../../src/delivery/policy.ts";
import type { Answer, Transport } from "../../src/delivery/transport.ts";
import { answered, fakeTransport, openQueue, policy, type Queue } from "./queue.ts";
import { SOON } from "./soon.ts";

function deliverer(queue: Queue, transport: Transport, change: Partial<DeliveryPolicy>): Deliverer {
  const one = new Deliverer(queue.ports(transport), { ...policy, ...change });
  onTestFinished(() => one.stop({ graceMs: 10 }));
  return one;
}

/** Answers only when told to. */
function held() {
  const waiting: ((answer: Answer) => void)[] = [];
  const transport = fakeTransport(() => new Promise((resolve) => waiting.push(resolve)));
  return { transport, waiting };
}

describe("B15: a host that many have subscribed", () => {
  it("gets no more attempts at one time than its cap, and others do not wait behind it", async () => {
    const queue = await openQueue();
    for (let number = 0; number < 30; number += 1) {
      await queue.subscribe(`sub_${String(number)}`, { url: "https://victim.example/hooks" });
      await queue.enqueue(`sub_${String(number)}`);
    }
    await queue.subscribe("sub_other");
    await queue.enqueue("sub_other");
    const now = { victim: 0, most: 0 };
    const order: string[] = [];
    const transport = fakeTransport(async ({ url: { hostname } }) => {
      order.push(hostname);
      if (hostname !== "victim.example") return answered(204);
      now.victim += 1;
      now.most = Math.max(now.most, now.victim);
      await queue.passTurns();
      now.victim -= 1;
      return answered(204);
    });
    await deliverer(queue, transport, { concurrencyPerHost: 3 }).drain("clk_1");
    expect(now.most).toBe(3);
    expect(order).toHaveLength(31);
    expect(order.indexOf("sub_other.example")).toBeLessThan(10);
  });

  it("of 1,000 subscriptions gets no more at one time than the 64 of the service's own policy", async () => {
    const queue = await openQueue();
    await queue.subscribeMany(1000, () => "https://victim.example/hooks");
    const now = { posting: 0, most: 0, all: 0 };
    const transport = fakeTransport(async () => {
      now.posting += 1;
      now.most = Math.max(now.most, now.posting);
      await setImmediate();
      now.posting -= 1;
      now.all += 1;
      return answered(204);
    });
    await deliverer(queue, transport, deliveryPolicyOf(profiles.standard)).drain("clk_1");
    expect(now).toEqual({ posting: 0, most: 64, all: 1000 });
  });

  it("is left alone for a while after 429, and the others go on", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_a", { clockId: "live" });
    await queue.subscribe("sub_b", { clockId: "live" });
    for (let count = 0; count < 20; count += 1) {
      await queue.enqueue("sub_a", { clockId: "live" });
      await queue.enqueue("sub_b", { clockId: "live" });
    }
    const isOverloaded = { a: true };
    const transport = fakeTransport(({ url: { hostname } }) =>
      answered(isOverloaded.a && hostname.startsWith("sub_a") ? 429 : 204),
    );
    const one = deliverer(queue, transport, { concurrencyPerSubscription: 1 });
    one.wake("live");
    const posts = (host: string): number =>
      transport.posts.filter(({ url }) => url.hostname.startsWith(host)).length;
    await expect.poll(() => posts("sub_b"), SOON).toBe(20);
    await queue.passTurns();
    const rested = posts("sub_a");
    expect(rested).toBeLessThan(20);
    one.wake("live");
    await queue.passTurns();
    expect(posts("sub_a")).toBe(rested);
    isOverloaded.a = false;
    queue.realNow += 60_000;
    one.wake("live");
    await expect.poll(() => posts("sub_a"), SOON).toBeGreaterThanOrEqual(20);
  });
});

describe("what lies ready", () => {
  it("is given back with the numbers of its attempts when the process stops", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    for (let count = 0; count < 4; count += 1) await queue.enqueue("sub_1");
    const { transport, waiting } = held();
    const one = deliverer(queue, transport, { concurrency: 1 });
    one.wake("clk_1");
    await expect.poll(() => waiting.length, SOON).toBe(1);
    await one.stop({ graceMs: 10 });
    const rows = await queue.deliveries();
    expect(rows.map(({ leased_until }) => leased_until)).toEqual([0, 0, 0, 0]);
    expect(rows.map(({ attempts }) => attempts).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 1]);
  });

  it("is not attempted where its lease would end before the attempt", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    for (let count = 0; count < 3; count += 1) await queue.enqueue("sub_1");
    const { transport, waiting } = held();
    const one = deliverer(queue, transport, { concurrency: 1 });
    one.wake("clk_1");
    await expect.poll(() => waiting.length, SOON).toBe(1);
    const [first] = transport.posts;
    // So long did the first one take.
    queue.realNow += policy.leaseMs - policy.deadlineMs;
    waiting.shift()?.(answered(204));
    await expect.poll(() => waiting.length, SOON).toBe(1);
    const leased = (await queue.deliveries()).filter(({ leased_until }) => leased_until > 0);
    // Claimed anew, with a lease of its own, as the first attempts that they are.
    for (const { leased_until, attempts } of leased) {
      expect([leased_until, attempts]).toEqual([queue.realNow + policy.leaseMs, 1]);
    }
    expect(leased.length).toBeGreaterThan(0);
    expect(first?.headers["webhook-id"]).toBe("evt_1");
  });
});
