import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENGINE } from "../../src/delivery/constants.ts";
import {
  decideNext,
  freshPace,
  isFailing,
  mayTakePlace,
  paceAfter,
  Turns,
  type Pace,
} from "../../src/delivery/decisions.ts";
import type { Answer, Attempt } from "../../src/delivery/types.ts";
import { answered, CLOCK_START, policy, REAL_START, timeout } from "./queue.ts";

const DAY = 86_400_000;

/** What becomes of a delivery whose attempt of this number is answered so. */
function after(answer: Answer, number = 1, success: "2xx" | number[] = "2xx") {
  // Nothing else of an attempt decides.
  const attempt = { number, answer, startedAt: REAL_START, durationMs: 20 } as Attempt;
  const at = { now: CLOCK_START, random: 0.5 };
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
    for (const status of [300, 301, 302, 307, 400, 404, 409, 429, 500, 503])
      expect(after(answered(status))).toEqual(["waiting", 5000]);
    expect(after(timeout)).toEqual(["waiting", 5000]);
  });

  it("is dropped for 410 and for webhook-delivery: disable, but delivered for a success", () => {
    expect(after(answered(410))).toEqual(["dropped", null]);
    const disabling = {
      kind: "answered",
      retryAfter: undefined,
      excerpt: "",
      disables: true,
    } as const;
    expect(after({ ...disabling, status: 500 })).toEqual(["dropped", null]);
    expect(after({ ...disabling, status: 200 })).toEqual(["delivered", null]);
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

  it("counts the overloads that are reported during one rest as one", () => {
    const first = paced(freshPace(policy), 429, 1000);
    const again = paced(first, 429, 1499);
    expect([again.limit, again.restsUntil]).toEqual([first.limit, first.restsUntil]);
  });

  it("is one attempt at a time after five failures in a row, and after answers too long to read", () => {
    const cut: Answer = {
      kind: "answered",
      status: 200,
      retryAfter: undefined,
      excerpt: "",
      isCut: true,
    };
    for (const answer of [answered(500), timeout, cut]) {
      let pace = freshPace(policy);
      for (let count = 0; count < 4; count += 1) pace = paceAfter(pace, answer, 0, policy);
      expect(isFailing(pace)).toBe(false);
      pace = paceAfter(pace, answer, 0, policy);
      expect(isFailing(pace)).toBe(true);
      expect(isFailing(paced(pace, 204, 0))).toBe(false);
    }
    let failing = freshPace(policy);
    for (let count = 0; count < 5; count += 1) failing = paced(failing, 500, 0);
    expect(failing.limit).toBe(1);
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

describe("a place among several users", () => {
  const shared = { places: 16, reserve: 4, few: 2 };

  it.each([
    ["everybody while a quarter is free", { total: 11, own: 11, users: 1 }, true],
    [
      "who has less than a fair share while places run short",
      { total: 14, own: 7, users: 2 },
      true,
    ],
    [
      "nobody with more than a fair share while places run short",
      { total: 14, own: 9, users: 2 },
      false,
    ],
    ["nobody who has several when all places are taken", { total: 16, own: 2, users: 5 }, false],
    ["a newcomer from the reserve", { total: 16, own: 1, users: 5 }, true],
    ["nobody when the reserve is taken too", { total: 20, own: 0, users: 5 }, false],
  ])("is for %s", (_, use, may) => {
    expect(mayTakePlace(use, shared)).toBe(may);
  });

  it("is always found by somebody while any is free, and never beyond the reserve", () => {
    const isHeld = () =>
      fc.assert(
        fc.property(fc.array(fc.nat(6), { minLength: 1, maxLength: 8 }), (owns) => {
          const total = owns.reduce((sum, own) => sum + own, 0);
          const users = owns.filter((own) => own > 0).length;
          const may = owns.map((own) => mayTakePlace({ total, own, users }, shared));
          const isFull = total >= shared.places + shared.reserve;
          return (total >= shared.places || may.includes(true)) && (!isFull || !may.includes(true));
        }),
      );
    expect(isHeld).not.toThrow();
  });
});

describe("turns", () => {
  const one = (merchantId: string, key: string) => ({ endpoint: { key, merchantId } });
  const everybody = { merchant: () => true, one: () => true };

  it("alternate between merchants, and between the endpoints of each", () => {
    const turns = new Turns();
    for (const key of ["a1", "a2", "a3"]) turns.add(one("a", key));
    turns.add(one("b", "b1"));
    const next = () => turns.next(everybody)?.endpoint.key;
    expect(Array.from({ length: 8 }, next)).toEqual([
      "a1",
      "b1",
      "a2",
      "b1",
      "a3",
      "b1",
      "a1",
      "b1",
    ]);
    turns.remove(one("a", "a2"));
    turns.remove(one("b", "b1"));
    expect(
      Array.from({ length: 3 }, next).toSorted((a, b) => ((a ?? "") < (b ?? "") ? -1 : 1)),
    ).toEqual(["a1", "a3", "a3"]);
  });

  it("look at a bounded number of endpoints, and reach every other one in the next calls", () => {
    const turns = new Turns();
    const count = ENGINE.looksPerStart * 3;
    for (let number = 0; number < count; number += 1) turns.add(one("a", `a${number}`));
    turns.add(one("b", "b1"));
    let looks = 0;
    const isWanted = ({ endpoint }: { endpoint: { key: string } }): boolean => {
      looks += 1;
      return endpoint.key === "b1";
    };
    const admits = { merchant: () => true, one: isWanted };
    expect(turns.next(admits)).toBeUndefined();
    expect(looks).toBeLessThanOrEqual(ENGINE.looksPerStart);
    expect(turns.next(admits)?.endpoint.key).toBe("b1");
  });
});
