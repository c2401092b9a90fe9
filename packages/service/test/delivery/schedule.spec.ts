import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { waitAfter, type Schedule } from "../../src/delivery/schedule.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const standard: Schedule = {
  steps: [
    0,
    5 * SECOND,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
  ],
  jitter: 0.1,
  retryAfterFactor: 2,
};

const attempts = fc.integer({ min: 1, max: 9 });
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const stepAfter = (attempt: number): number => standard.steps[attempt] ?? Number.NaN;

describe("the wait after a failed attempt", () => {
  it("is the next step of the schedule, in the middle of the jitter", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((attempt) =>
      waitAfter({ attempt, random: 0.5 }, standard),
    );
    expect(waits).toEqual(standard.steps.slice(1));
  });

  it("does not exist after the last attempt", () => {
    expect(waitAfter({ attempt: 10, random: 0.5 }, standard)).toBeUndefined();
    expect(waitAfter({ attempt: 11, random: 0.5, retryAfter: 1 }, standard)).toBeUndefined();
  });

  it("always stays within the jitter, and uses all of it", () => {
    fc.assert(
      fc.property(attempts, randoms, (attempt, random) => {
        const wait = waitAfter({ attempt, random }, standard) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(stepAfter(attempt) * 0.9);
        expect(wait).toBeLessThanOrEqual(stepAfter(attempt) * 1.1);
      }),
    );
    expect(waitAfter({ attempt: 1, random: 0 }, standard)).toBe(4500);
    expect(waitAfter({ attempt: 1, random: 1 - 2 ** -53 }, standard)).toBe(5500);
  });

  it("is always a whole number of milliseconds", () => {
    fc.assert(
      fc.property(
        attempts,
        randoms,
        fc.option(fc.nat(), { nil: undefined }),
        (attempt, random, retryAfter) => {
          expect(waitAfter({ attempt, random, retryAfter }, standard)).toSatisfy(Number.isInteger);
        },
      ),
    );
  });
});

describe("a wait that the receiver asked for", () => {
  it("B12 is kept within one and two steps, whatever was asked", () => {
    const asked = fc.oneof(
      fc.nat({ max: 2 * 24 * HOUR }),
      fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    );
    fc.assert(
      fc.property(attempts, randoms, asked, (attempt, random, retryAfter) => {
        const wait = waitAfter({ attempt, random, retryAfter }, standard) ?? Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(stepAfter(attempt));
        expect(wait).toBeLessThanOrEqual(2 * stepAfter(attempt));
      }),
    );
  });

  it("is never ended early where it lies within them", () => {
    const within = attempts.chain((attempt) =>
      fc.record({
        attempt: fc.constant(attempt),
        random: randoms,
        retryAfter: fc.integer({ min: stepAfter(attempt), max: 2 * stepAfter(attempt) }),
      }),
    );
    fc.assert(
      fc.property(within, (failed) => {
        expect(waitAfter(failed, standard)).toBeGreaterThanOrEqual(failed.retryAfter);
      }),
    );
  });
});
