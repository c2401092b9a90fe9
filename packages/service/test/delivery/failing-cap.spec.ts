import { describe, expect, it, onTestFinished } from "vitest";
import { Deliverer } from "../../src/delivery/deliver.ts";
import { answered, fakeTransport, openQueue, policy } from "./queue.ts";

describe("B14: a subscription whose attempts only fail", () => {
  it("has one attempt under way at a time, until one succeeds", async () => {
    const queue = await openQueue();
    await queue.subscribe("sub_1");
    for (let count = 0; count < 60; count += 1) await queue.enqueue("sub_1");
    const now = { posting: 0, all: 0 };
    const most: number[] = [];
    const transport = fakeTransport(async (_, count) => {
      now.posting += 1;
      most[count] = now.posting;
      await queue.passTurns();
      now.posting -= 1;
      return answered(count <= 20 ? 500 : 204);
    });
    const one = new Deliverer(queue.ports(transport), policy);
    onTestFinished(() => one.stop({ graceMs: 10 }));
    await one.drain("clk_1");
    const mostOf = (from: number, to: number): number => Math.max(...most.slice(from, to));
    expect(mostOf(1, 9)).toBe(8);
    // The eight that were under way when it was found to fail have ended by then.
    expect(mostOf(17, 22)).toBe(1);
    expect(mostOf(22, 61)).toBe(8);
    expect(transport.posts).toHaveLength(60);
  });
});
