import { setImmediate } from "node:timers/promises";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { FailingSubscriptions } from "../../src/delivery/failing-subscriptions.ts";
import { HostPaces } from "../../src/delivery/host-pace.ts";
import { deliveryPolicyOf } from "../../src/delivery/policy.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { giveAway } from "./backlog.ts";
import { answered, fakeTransport, heldTransport, openQueue, SOON } from "./queue.ts";

/** A network that answers 204 some turns later, and the most requests in flight by host and in all. */
function countingTransport(
  pause: () => Promise<unknown>,
  status: (count: number) => number = () => 204,
) {
  const now = new Map<string, number>();
  const most = { all: 0, one: 0 };
  const order: string[] = [];
  /** In flight at the beginning of each attempt. */
  const inFlight: number[] = [];
  const transport = fakeTransport(async ({ url: { hostname } }, count) => {
    order.push(hostname);
    now.set(hostname, (now.get(hostname) ?? 0) + 1);
    const all = [...now.values()].reduce((sum, one) => sum + one, 0);
    inFlight.push(all);
    most.all = Math.max(most.all, all);
    most.one = Math.max(most.one, ...now.values());
    await pause();
    now.set(hostname, (now.get(hostname) ?? 0) - 1);
    return answered(status(count));
  });
  return { transport, most, order, inFlight };
}

describe("B14: deliveries that share one process", () => {
  it("keep to the cap of a subscription and to the cap of the process", async () => {
    const queue = await openQueue();
    const keys = ["sub_a", "sub_b", "sub_c"];
    for (const key of keys) await queue.subscribe(key);
    await queue.publish(5, keys);
    const { transport, most } = countingTransport(() => queue.passTurns());
    const caps = { concurrency: 5, concurrencyPerSubscription: 2 };
    await queue.deliverer(transport, caps).drain("clk_1");
    expect(most).toEqual({ all: 5, one: 2 });
    expect(new Set(await queue.states())).toEqual(new Set(["delivered"]));
  });

  it("[P-EVENT-ISOLATED] do not wait behind a slow receiver", async () => {
    const queue = await openQueue();
    for (const key of ["sub_slow", "sub_fast"]) await queue.subscribe(key);
    await queue.publish(40, ["sub_slow", "sub_fast"]);
    const slow: ((answer: Answer) => void)[] = [];
    const transport = fakeTransport(({ url }) =>
      url.hostname.includes("slow") ? new Promise((resolve) => slow.push(resolve)) : answered(204),
    );
    const done = queue.deliverer(transport, { concurrency: 16 }).drain("clk_1");
    const delivered = async () =>
      (await queue.states()).filter((state) => state === "delivered").length;
    await expect.poll(delivered, SOON).toBe(40);
    expect(slow).toHaveLength(8);
    const timer = setInterval(() => slow.splice(0).forEach((end) => end(answered(204))), 1);
    await done;
    clearInterval(timer);
    expect(await delivered()).toBe(80);
  });

  it("go to merchants in turns, whatever the backlog and the subscriptions of one of them", async () => {
    const queue = await openQueue();
    const many = Array.from({ length: 20 }, (_, number) => `many_${number}`);
    for (const key of [...many, "few"]) await queue.subscribe(key);
    await queue.publish(30, many);
    await queue.publish(3, ["few"]);
    await giveAway(queue, "few");
    const { transport, order } = countingTransport(setImmediate);
    await queue.deliverer(transport, { concurrency: 2 }).drain("clk_1");
    expect(order).toHaveLength(603);
    expect(order.lastIndexOf("few.example")).toBeLessThan(12);
  });

  it("of a merchant who comes late do not wait behind what another merchant already has in line", async () => {
    const queue = await openQueue();
    for (const key of ["early", "late"]) await queue.subscribe(key);
    await queue.publish(300, ["early"]);
    const { transport, inFlight, answer } = heldTransport();
    const deliverer = queue.deliverer(transport, { concurrency: 1 });
    deliverer.wake("clk_1");
    await expect.poll(inFlight, SOON).toBe(1);
    await queue.enqueue("late");
    await giveAway(queue, "late");
    deliverer.wake("clk_1");
    await queue.passTurns();
    for (let count = 0; count < 5; count += 1) {
      answer(204);
      await expect.poll(inFlight, SOON).toBe(1);
    }
    expect(transport.posts.map(({ url }) => url.hostname)).toContain("late.example");
  });

  it("are in flight one at a time to a subscription whose attempts only fail, until one succeeds", async () => {
    const queue = await openQueue("sub_1");
    await queue.publish(60, ["sub_1"]);
    const { transport, inFlight } = countingTransport(
      () => queue.passTurns(),
      (count) => (count <= 20 ? 500 : 204),
    );
    await queue.deliverer(transport).drain("clk_1");
    expect(Math.max(...inFlight.slice(0, 8))).toBe(8);
    // The eight that were in flight when it was found to fail have ended by then.
    expect(Math.max(...inFlight.slice(16, 21))).toBe(1);
    expect(Math.max(...inFlight.slice(21))).toBe(8);
    expect(inFlight).toHaveLength(60);
  });

  it("pass by subscriptions that fail at once, whose attempts begin one by one", async () => {
    const queue = await openQueue();
    const bad = ["bad_1", "bad_2", "bad_3"];
    for (const key of [...bad, "good"]) await queue.subscribe(key, { clockId: "live" });
    await queue.publish(12, bad, { clockId: "live" });
    const failed: number[] = [];
    let delivered = 0;
    const transport = fakeTransport(({ url }) => {
      const isBad = url.host.startsWith("bad");
      if (isBad) failed.push(performance.now());
      else delivered += 1;
      return answered(isBad ? 500 : 204);
    });
    const deliverer = queue.deliverer(transport);
    deliverer.wake("live");
    // Eight at a time until five of each have failed.
    await expect.poll(() => failed.length, SOON).toBeGreaterThan(24);
    await queue.publish(60, ["good"], { clockId: "live" });
    const [before, from] = [failed.length, performance.now()];
    deliverer.wake("live");
    await expect.poll(() => delivered, SOON).toBe(60);
    // One in 25 ms, give or take a timer.
    const most = (performance.now() - from) / 24 + 1;
    expect(failed.length - before).toBeLessThanOrEqual(most);
    await expect.poll(() => failed.length, SOON).toBe(36);
    const gaps = failed.slice(25).map((at, index) => at - (failed[24 + index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(20);
  });
});

describe("B15: a host that many have subscribed", () => {
  it("gets no more attempts at one time than its cap, and others do not wait behind it", async () => {
    const queue = await openQueue();
    await queue.subscribeMany(30, () => "https://victim.example/hooks");
    await queue.subscribe("sub_other");
    await queue.enqueue("sub_other");
    const { transport, most, order } = countingTransport(() => queue.passTurns());
    await queue.deliverer(transport, { concurrencyPerHost: 3 }).drain("clk_1");
    expect(most.one).toBe(3);
    expect(order).toHaveLength(31);
    expect(order.indexOf("sub_other.example")).toBeLessThan(10);
  });

  it("gets at most 64 attempts at one time under the standard profile", async () => {
    const queue = await openQueue();
    await queue.subscribeMany(200, () => "https://victim.example/hooks");
    const { transport, inFlight, answer } = heldTransport();
    const deliverer = queue.deliverer(transport, deliveryPolicyOf(profiles.standard));
    deliverer.wake("clk_1");
    await expect.poll(inFlight, SOON).toBe(64);
    await queue.passTurns();
    expect(inFlight()).toBe(64);
    answer(204);
    await expect.poll(() => transport.posts.length, SOON).toBe(65);
  });

  it.each([429, 502, 504])("rests after a %d, and the others go on", async (status) => {
    const queue = await openQueue();
    for (const key of ["sub_a", "sub_b"]) await queue.subscribe(key, { clockId: "live" });
    await queue.publish(20, ["sub_a", "sub_b"], { clockId: "live" });
    let isOverloaded = true;
    const transport = fakeTransport(({ url: { hostname } }) =>
      answered(isOverloaded && hostname.startsWith("sub_a") ? status : 204),
    );
    const deliverer = queue.deliverer(transport, { concurrencyPerSubscription: 1 });
    deliverer.wake("live");
    const posts = (host: string): number =>
      transport.posts.filter(({ url }) => url.hostname.startsWith(host)).length;
    await expect.poll(() => posts("sub_b"), SOON).toBe(20);
    await queue.passTurns();
    const rested = posts("sub_a");
    expect(rested).toBeLessThan(20);
    queue.realNow += 499;
    deliverer.wake("live");
    await queue.passTurns();
    expect(posts("sub_a")).toBe(rested);
    isOverloaded = false;
    // The longest rest; the deliveries' own retries are due by then too.
    queue.realNow += 60_000;
    deliverer.wake("live");
    await expect.poll(() => posts("sub_a"), SOON).toBeGreaterThanOrEqual(20);
  });
});

it("B15: the memory of slowed hosts and failing subscriptions is bounded, and each pace halves and recovers", () => {
  const paces = new HostPaces(4);
  for (const now of [0, 0, 500]) paces.answered("a", answered(429), now);
  expect([paces.limit("a"), paces.rests("a", 1499), paces.rests("a", 1500)]).toEqual([
    1,
    true,
    false,
  ]);
  for (let success = 0; success < 3; success += 1) paces.answered("a", answered(204), 1500);
  expect(paces.limit("a")).toBe(4);
  for (let host = 0; host < 5000; host += 1) paces.answered(`h${host}`, answered(429), 0);
  expect([paces.limit("h0"), paces.limit("h4999")]).toEqual([4, 2]);

  const failing = new FailingSubscriptions();
  for (let number = 0; number <= 10_000; number += 1)
    for (let count = 0; count < 5; count += 1) failing.ended(`sub_${number}`, false);
  expect(["sub_0", "sub_1", "sub_10000"].map((key) => failing.has(key))).toEqual([
    false,
    true,
    true,
  ]);
});
