import { describe, expect, it } from "vitest";
import { FailingSubscriptions } from "../../src/delivery/failing-subscriptions.ts";
import { Occupancy } from "../../src/delivery/occupancy.ts";
import type { Answer } from "../../src/delivery/transport.ts";
import { answered, policy } from "./queue.ts";

const one = { key: "sub_1", host: "merchant.example" };

/** Whether the next attempt is spaced from others, after attempts with these answers. */
function isSpacedAfter(answers: readonly (Answer | undefined)[], clockId = "live"): boolean {
  const occupancy = new Occupancy(policy, { unsettled: () => 0, laneRoom: () => 16 });
  for (const answer of answers) {
    occupancy.claimed(one);
    occupancy.began(one);
    occupancy.ended(one, { answer, startedAt: 0, now: 10 });
  }
  return occupancy.isSpaced(clockId, one);
}

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const cut: Answer = {
  kind: "answered",
  status: 200,
  retryAfter: undefined,
  isCut: true,
  excerpt: "",
};

describe("B14: a subscription is failing", () => {
  it.each([
    ["answers of 500", answered(500)],
    ["redirects", answered(307)],
    ["no answers", { kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" } as const],
    ["successes that were too long to be read to the end", cut],
    ["attempts that could not be made", undefined],
  ])("after five %s in a row", (_, answer) => {
    expect(isSpacedAfter(times(4, answer))).toBe(false);
    expect(isSpacedAfter(times(5, answer))).toBe(true);
    expect(isSpacedAfter([...times(4, answer), answered(204), ...times(4, answer)])).toBe(false);
  });

  it("until one attempt succeeds", () => {
    expect(isSpacedAfter([...times(50, answered(500)), answered(204)])).toBe(false);
  });

  it("and its attempts are not spaced on a clock that stands meanwhile", () => {
    expect(isSpacedAfter(times(5, answered(500)), "clk_1")).toBe(false);
  });

  it("as long as ten thousand others have not failed since", () => {
    const failing = new FailingSubscriptions();
    const fail = (key: string): void => {
      for (let count = 0; count < 5; count += 1) failing.ended(key, false);
    };
    fail("first");
    for (let number = 1; number < 10_000; number += 1) fail(`sub_${String(number)}`);
    expect(failing.has("first")).toBe(true);
    fail("last");
    expect([failing.has("first"), failing.has("last")]).toEqual([false, true]);
  });
});
