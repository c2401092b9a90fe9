import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RateLimiter } from "../../src/http/rate-limiter.ts";

describe("[P-LIMIT-RATE] a rate limiter", () => {
  it("takes a burst of as many calls as the limit has, then one for each part of the period", () => {
    const limiter = new RateLimiter({ calls: 4, perMs: 1000 });
    const burst = Array.from({ length: 5 }, () => limiter.take("a", 0));
    expect(burst).toEqual([0, 0, 0, 0, 250]);
    expect(limiter.take("a", 249)).toBe(1);
    expect(limiter.take("a", 250)).toBe(0);
    expect(limiter.take("a", 250)).toBe(250);
  });

  it("keeps keys apart", () => {
    const limiter = new RateLimiter({ calls: 1, perMs: 1000 });
    expect([limiter.take("a", 0), limiter.take("b", 0), limiter.take("a", 0)]).toEqual([
      0, 0, 1000,
    ]);
  });

  it("takes a call again that was given back", () => {
    const limiter = new RateLimiter({ calls: 1, perMs: 1000 });
    limiter.take("a", 0);
    limiter.giveBack("a");
    limiter.giveBack("unknown");
    expect([limiter.take("a", 0), limiter.take("a", 0)]).toEqual([0, 1000]);
  });

  it("never takes more than two limits' worth in any period, whatever the calls", () => {
    const limit = fc.record({ calls: fc.integer({ min: 1, max: 50 }), perMs: fc.constant(1000) });
    const waits = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(limit, waits, ({ calls, perMs }, gaps) => {
        const limiter = new RateLimiter({ calls, perMs });
        const taken: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          if (limiter.take("a", now) === 0) taken.push(now);
        }
        for (const start of taken) {
          const within = taken.filter((at) => at >= start && at < start + perMs);
          expect(within.length).toBeLessThanOrEqual(2 * calls);
        }
      }),
    );
  });

  it("always takes a call after the wait that it told", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 50 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), waits, (calls, gaps) => {
        const limiter = new RateLimiter({ calls, perMs: 1000 });
        let now = 0;
        for (const gap of gaps) limiter.take("a", (now += gap));
        const waitMs = limiter.take("a", now);
        expect(waitMs === 0 || limiter.take("a", now + waitMs) === 0).toBe(true);
      }),
    );
  });

  it("locks nobody out for longer than a period when the clock is set back", () => {
    const limiter = new RateLimiter({ calls: 2, perMs: 1000 });
    limiter.take("a", 1_000_000);
    limiter.take("a", 1_000_000);
    expect(limiter.take("a", 0)).toBe(500);
  });

  it("forgets the keys seen longest ago rather than grow without bounds", () => {
    const limiter = new RateLimiter({ calls: 1, perMs: 1000 });
    for (let i = 0; i < 20_000; i++) limiter.take(`key ${i}`, 0);
    expect(limiter.size).toBe(10_000);
    expect(limiter.take("key 10000", 0)).toBe(1000);
    expect(limiter.take("key 9999", 0)).toBe(0);
  });
});
