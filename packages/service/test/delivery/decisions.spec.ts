import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { profiles } from "@countersign/schemas/profiles";
import { sendingProviderOf } from "@countersign/schemas/provider-of";
import { reference } from "@countersign/schemas/providers";
import {
  decideNext,
  freshPace,
  paceAfter,
  type Pace,
  parseRetryAfter,
  waitAfter,
} from "../../src/delivery/decisions.ts";
import type { Answer, Attempt } from "../../src/delivery/types.ts";
import { answered, CLOCK_START, policy, REAL_START, timeout } from "./queue.ts";
import { deliveryPolicyOf } from "../../src/delivery/policy.ts";

const DAY = 86_400_000;

/** The delivery's next state after this answer to the attempt of this number. */
function after(answer: Answer, number = 1, success: "2xx" | number[] = "2xx") {
  // Nothing else of an attempt decides.
  const attempt = { number, answer, startedAt: REAL_START, durationMs: 20 } as Attempt;
  const at = { now: CLOCK_START, random: () => 0.5 };
  const { state, nextAt } = decideNext(attempt, at, { ...policy, success });
  return [state, nextAt === null ? null : nextAt - CLOCK_START];
}

describe("[P-EVENT-SUCCESS] the outcome of an attempt (S 6.6)", () => {
  it("is delivered for every 2xx, or for exactly 200 when the profile says so", () => {
    for (const status of [200, 201, 204, 299])
      expect(after(answered(status))).toEqual(["delivered", null]);
    expect(after(answered(200), 1, [200])).toEqual(["delivered", null]);
    expect(after(answered(204), 1, [200])).toEqual(["waiting", 5000]);
  });

  it("is a retry at the next step for redirects, errors and no answer", () => {
    for (const status of [101, 199, 300, 301, 302, 307, 400, 404, 409, 429, 500, 503])
      expect(after(answered(status))).toEqual(["waiting", 5000]);
    expect(after(timeout)).toEqual(["waiting", 5000]);
  });

  it("is dropped for 410", () => {
    expect(after(answered(410))).toEqual(["dropped", null]);
  });

  it("is exhausted after the tenth failure and each later one", () => {
    expect(after(answered(500), 9)).toEqual(["waiting", DAY]);
    expect(after(answered(500), 10)).toEqual(["exhausted", null]);
    expect(after(answered(500), 11)).toEqual(["exhausted", null]);
  });

  it("[P-EVENT-RETRY-AFTER] moves the retry to Retry-After, up to twice the step, given in seconds or as a date", () => {
    expect(after(answered(503, "7"))).toEqual(["waiting", 7000]);
    expect(after(answered(503, "3600"))).toEqual(["waiting", 10_000]);
    expect(after(answered(503, "0"))).toEqual(["waiting", 5000]);
    // A date is wall time; the answer arrived 20 ms after the start.
    const date = new Date(REAL_START + 8000).toUTCString();
    expect(after(answered(503, date))).toEqual(["waiting", 7980]);
  });
});

describe("the pace of an endpoint", () => {
  const paced = (pace: Pace, status: number, now: number): Pace =>
    paceAfter(pace, answered(status), now, policy);

  it("halves and rests twice as long after each overload in a row, and recovers one by one", () => {
    const rests: (readonly [limit: number, rest: number])[] = [];
    let [pace, now] = [freshPace(policy), 1000];
    for (const status of [429, 502, 504, 429]) {
      pace = paced(pace, status, now);
      rests.push([pace.limit, pace.restsUntil - now]);
      now = pace.restsUntil;
    }
    expect(rests).toEqual([
      [4, 500],
      [2, 1000],
      [1, 2000],
      [1, 4000],
    ]);
    const limits = Array.from({ length: 8 }, () => (pace = paced(pace, 204, now)).limit);
    expect(limits).toEqual([2, 3, 4, 5, 6, 7, 8, 8]);
    expect(pace).toEqual(freshPace(policy));
  });

  it("does not rest after fewer than five failures in a row without an overload", () => {
    for (const answer of [answered(500), answered(404), timeout]) {
      let pace = freshPace(policy);
      for (let count = 0; count < 4; count += 1) pace = paceAfter(pace, answer, 1000, policy);
      expect(pace).toMatchObject({ limit: 8, restsUntil: 0 });
    }
  });

  it("is one attempt at a time from the fifth failure in a row on, with rests of five seconds at most", () => {
    let [pace, now] = [freshPace(policy), 1000];
    const rests: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      now = Math.max(now, pace.restsUntil);
      pace = paced(pace, 500, now);
      rests.push(Math.max(0, pace.restsUntil - now));
    }
    expect(rests).toEqual([0, 0, 0, 0, 500, 1000, 2000, 4000, 5000, 5000]);
    expect(pace.limit).toBe(1);
    expect(paced(pace, 204, now)).toEqual({ limit: 2, failures: 0, rests: 0, restsUntil: 0 });
  });

  it("is one attempt at a time, without a rest, after five answers in a row that were too long to read", () => {
    const cut = { ...answered(200), isCut: true } as Answer;
    let pace = freshPace(policy);
    for (let count = 0; count < 5; count += 1) pace = paceAfter(pace, cut, 1000, policy);
    expect(pace).toMatchObject({ limit: 1, restsUntil: 0 });
  });

  it("counts the overloads that are reported during one rest as one", () => {
    const first = paced(freshPace(policy), 429, 1000);
    const again = paced(first, 429, 1499);
    expect([again.limit, again.restsUntil]).toEqual([first.limit, first.restsUntil]);
  });

  it("always lets at least one attempt be in flight, at most its limit, and rests a minute at most", () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(200, 429, 500, 502), fc.nat(100_000)));
    fc.assert(
      fc.property(steps, (answers) => {
        let [pace, now] = [freshPace(policy), 0];
        for (const [status, wait] of answers) {
          now += wait;
          pace = paced(pace, status, now);
          expect(pace.limit).toBeGreaterThanOrEqual(1);
          expect(pace.limit).toBeLessThanOrEqual(policy.concurrencyPerEndpoint);
          expect(pace.restsUntil - now).toBeLessThanOrEqual(60_000);
        }
      }),
    );
  });
});

const { schedule, ...standard } = deliveryPolicyOf(profiles.standard);
const HOUR = 3_600_000;

describe("the retry schedule (S 6.6)", () => {
  const attempts = fc.integer({ min: 1, max: 9 });
  const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const stepAfter = (attempt: number): number => schedule.steps[attempt] ?? Number.NaN;

  it("makes ten attempts within 75 h 35 min under the standard profile, with 15 s and a longer lease for each", () => {
    expect(schedule).toMatchObject({ jitter: 0.1, retryAfterFactor: 2 });
    expect(schedule.steps).toHaveLength(10);
    expect(schedule.steps.reduce((sum, step) => sum + step, 0)).toBe(272_105_000);
    expect(standard).toMatchObject({
      success: "2xx",
      gone: 410,
      pause: { failures: 400, afterMs: 24 * HOUR },
      deadlineMs: 15_000,
      leaseMs: 30_000,
      concurrencyPerHost: 64,
    });
    const { sending } = sendingProviderOf(profiles.standard);
    const other = { ...sending, success: "200" as const, timeoutMs: 120_000 };
    const provider = { ...reference, sending: other };
    const { success, deadlineMs, leaseMs } = deliveryPolicyOf({ provider });
    expect(success).toEqual([200]);
    // Time for a slow store to record the attempt.
    expect(leaseMs - deadlineMs).toBe(15_000);
  });

  it("waits for the next step, moved by at most the jitter, and never after the last attempt", () => {
    fc.assert(
      fc.property(attempts, randoms, (attempt, random) => {
        const wait = waitAfter({ attempt, random }, schedule);
        expect(wait).toSatisfy(Number.isInteger);
        expect(wait).toBeGreaterThanOrEqual(stepAfter(attempt) * 0.9);
        expect(wait).toBeLessThanOrEqual(stepAfter(attempt) * 1.1);
      }),
    );
    for (const [random, wait] of [
      [0, 4500],
      [0.5, 5000],
      [1 - 2 ** -53, 5500],
    ] as const)
      expect(waitAfter({ attempt: 1, random }, schedule)).toBe(wait);
    expect(waitAfter({ attempt: 10, random: 0.5, retryAfter: 1 }, schedule)).toBeUndefined();
  });

  it("B12 honors Retry-After between one and two steps, never earlier than it asks", () => {
    const asked = fc.oneof(fc.nat({ max: 48 * HOUR }), fc.nat({ max: Number.MAX_SAFE_INTEGER }));
    fc.assert(
      fc.property(attempts, randoms, asked, (attempt, random, retryAfter) => {
        const wait = waitAfter({ attempt, random, retryAfter }, schedule);
        const step = stepAfter(attempt);
        expect(wait).toSatisfy(Number.isInteger);
        expect(wait).toBeGreaterThanOrEqual(Math.max(step, Math.min(retryAfter, 2 * step)));
        expect(wait).toBeLessThanOrEqual(2 * step);
      }),
    );
    // 5 s is the step; the jitter adds a tenth of the requested delay, times the random number.
    expect(waitAfter({ attempt: 1, random: 0.5, retryAfter: 7000 }, schedule)).toBe(7350);
  });

  it("B12 reads Retry-After as seconds or an HTTP date (RFC 9110 10.2.3) and ignores anything else", () => {
    const now = Date.parse("2026-11-02T12:00:00.000Z");
    for (const [header, wait] of [
      ["0", 0],
      ["120", 120_000],
      ["999999999999", 999_999_999_999_000],
      ["Mon, 02 Nov 2026 12:01:40 GMT", 100_000],
      ["Sun, 01 Nov 2026 12:00:00 GMT", 0],
    ] as const)
      expect([header, parseRetryAfter(header, now)]).toEqual([header, wait]);
    const garbled = ["", "-1", "1.5", "1e308", "inf", "NaN", "9999999999999", "x".repeat(4096)];
    const date = "Mon, 02 Nov 2026 12:01:40 GMT";
    // Node reads all but the last as dates.
    const dates = ["2026-11-02T12:01:40Z", `on ${date}`, `${date}+01`, date.replace("02", "99")];
    for (const header of [undefined, ...garbled, ...dates])
      expect([header, parseRetryAfter(header, now)]).toEqual([header, undefined]);
  });
});
