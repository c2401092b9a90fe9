import { describe, expect, it, onTestFinished } from "vitest";
import type { Claim } from "../../src/delivery/claim.ts";
import { Deliverer } from "../../src/delivery/deliver.ts";
import { FailingLane } from "../../src/delivery/failing-lane.ts";
import { answered, fakeTransport, openQueue, policy } from "./queue.ts";

/** Milliseconds between two attempts. */
const GAP_MS = 25;

/** The lane looks at no part of a claim. */
const claimOf = (id: string): Claim => ({ id }) as Claim;

function laneOf(parts: { most?: number; admits?: (claim: Claim) => boolean; now?: () => number }) {
  const begun: { id: string; at: number }[] = [];
  const lane = new FailingLane({
    clock: { now: parts.now ?? (() => Date.now()) },
    most: parts.most ?? 128,
    admits: parts.admits ?? (() => true),
    begin: ({ id }) => void begun.push({ id, at: performance.now() }),
    isLow: () => {},
  });
  onTestFinished(() => void lane.takeAll());
  return { lane, begun };
}

const idsOf = (begun: readonly { id: string }[]): string[] => begun.map(({ id }) => id);

describe("B14: the claims of failing subscriptions", () => {
  it("begin one by one, in the order in which they came", async () => {
    const { lane, begun } = laneOf({});
    for (const id of ["a", "b", "c", "d"]) lane.add(claimOf(id));
    await expect.poll(() => idsOf(begun)).toEqual(["a", "b", "c", "d"]);
    begun.slice(1).forEach(({ at }, index) => {
      // Timers count whole milliseconds.
      expect(at - (begun[index]?.at ?? 0)).toBeGreaterThan(GAP_MS - 2);
    });
  });

  it("begin later where the process is late", async () => {
    let now = 1000;
    const { lane, begun } = laneOf({ now: () => now });
    lane.add(claimOf("a"));
    // It was to begin at once.
    now = 1041;
    await expect.poll(() => begun.length).toBe(1);
    lane.add(claimOf("b"));
    await expect.poll(() => begun.length).toBe(2);
    expect((begun[1]?.at ?? 0) - (begun[0]?.at ?? 0)).toBeGreaterThan(GAP_MS + 4 * 40 - 2);
  });

  it("step aside where their subscription or host has its fill", async () => {
    let isFull = true;
    const { lane, begun } = laneOf({ admits: ({ id }) => id !== "a" || !isFull });
    for (const id of ["a", "b"]) lane.add(claimOf(id));
    await expect.poll(() => idsOf(begun)).toEqual(["b"]);
    isFull = false;
    await expect.poll(() => idsOf(begun)).toEqual(["b", "a"]);
  });

  it("hold no more places than they may, until they are done with", async () => {
    const { lane, begun } = laneOf({ most: 2 });
    const claims = ["a", "b", "c"].map(claimOf);
    for (const claim of claims.slice(0, 2)) lane.add(claim);
    await expect.poll(() => begun.length).toBe(2);
    expect(lane.room).toBe(0);
    const [first, , third] = claims as [Claim, Claim, Claim];
    lane.add(third);
    await expect.poll(() => lane.waiting).toBe(1);
    lane.done(first);
    await expect.poll(() => idsOf(begun)).toEqual(["a", "b", "c"]);
  });

  it("are sixteen at most while they wait", () => {
    const { lane } = laneOf({});
    for (let count = 0; count < 10; count += 1) lane.add(claimOf(String(count)));
    expect(lane.room).toBe(6);
    expect(lane.takeAll()).toHaveLength(10);
    expect(lane.room).toBe(16);
  });
});

describe("B14: beside failing subscriptions that answer at once", () => {
  it("others pass by, and those begin one by one", async () => {
    const queue = await openQueue();
    for (const key of ["bad_1", "bad_2", "bad_3", "good"]) {
      await queue.subscribe(key, { clockId: "live" });
    }
    for (const key of ["bad_1", "bad_2", "bad_3"]) {
      for (let count = 0; count < 16; count += 1) await queue.enqueue(key, { clockId: "live" });
    }
    const failed: number[] = [];
    let delivered = 0;
    const transport = fakeTransport(({ url }) => {
      const isBad = url.host.startsWith("bad");
      if (isBad) failed.push(performance.now());
      else delivered += 1;
      return answered(isBad ? 500 : 204);
    });
    const one = new Deliverer(queue.ports(transport), policy);
    onTestFinished(() => one.stop({ graceMs: 10 }));
    one.wake("live");
    // Eight at a time until five of each have failed.
    await expect.poll(() => failed.length, { timeout: 5000 }).toBeGreaterThan(24);
    for (let count = 0; count < 60; count += 1) await queue.enqueue("good", { clockId: "live" });
    const before = failed.length;
    const from = performance.now();
    one.wake("live");
    await expect.poll(() => delivered, { timeout: 5000 }).toBe(60);
    const most = (performance.now() - from) / (GAP_MS - 1) + 1;
    expect(failed.length - before).toBeLessThanOrEqual(most);
    await expect.poll(() => failed.length, { timeout: 10_000 }).toBe(48);
  });
});
