import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EventState, type EventStep, received, transition } from "../src/inbox/event-state.ts";

const claim = { type: "claim", now: 0, leaseMs: 60_000 } as const;
const claimed: EventState = { at: "claimed", token: 1, attempts: 1, leaseEndsAt: 60_000 };
const limit = { maxAttempts: 3, retryAt: 5000, reason: "no" };

describe("an event's state", () => {
  it("is claimed with the first token and its lease", () => {
    expect(transition(received(0), claim)).toEqual(claimed);
  });

  it("is handled, or superseded, by the claim's token", () => {
    const done = { token: 1, attempts: 1 };
    expect(transition(claimed, { type: "succeed", token: 1 })).toEqual({ at: "handled", ...done });
    expect(transition(claimed, { type: "supersede", token: 1 })).toEqual({
      at: "superseded",
      ...done,
    });
  });

  it.each(["succeed", "supersede", "fail"] as const)("does not %s by another token", (type) => {
    expect(transition(claimed, { type, token: 2, ...limit })).toBeUndefined();
  });

  it("waits after a failure until its retry, and no claim comes before", () => {
    const waiting = transition(claimed, { type: "fail", token: 1, ...limit });
    expect(waiting).toEqual({ at: "waiting", token: 1, attempts: 1, retryAt: 5000 });
    if (waiting === undefined) throw new Error("no state");
    expect(transition(waiting, { ...claim, now: 4999 })).toBeUndefined();
    expect(transition(waiting, { ...claim, now: 5000 })).toMatchObject({ token: 2, attempts: 2 });
  });

  it("expires when its lease has ended, to the millisecond", () => {
    const expire = { type: "expire", maxAttempts: 3 } as const;
    expect(transition(claimed, { ...expire, now: 59_999 })).toBeUndefined();
    expect(transition(claimed, { ...expire, now: 60_000 })).toMatchObject({
      at: "waiting",
      retryAt: 60_000,
    });
    expect(transition({ ...claimed, attempts: 3 }, { ...expire, now: 60_000 })).toMatchObject({
      at: "dead",
      reason: expect.stringContaining("CS_CLAIM_LOST") as string,
    });
  });

  it("is revived with new attempts and its old token", () => {
    const dead = transition({ ...claimed, attempts: 3 }, { type: "fail", token: 1, ...limit });
    expect(dead).toEqual({ at: "dead", token: 1, attempts: 3, reason: "no" });
    if (dead === undefined) throw new Error("no state");
    expect(transition(dead, { type: "revive", now: 7 })).toEqual({
      at: "waiting",
      token: 1,
      attempts: 0,
      retryAt: 7,
    });
  });
});

describe("whatever happens to one event", () => {
  // Moves are made from the state they meet: tokens are those that were given out, and time passes by
  // parts of a lease, so that expiry, stale settlements, death and revival all happen.
  const moves = fc.array(
    fc.record({
      type: fc.constantFrom(
        "claim",
        "claim",
        "fail",
        "fail",
        "expire",
        "succeed",
        "supersede",
        "revive",
      ),
      wait: fc.constantFrom(0, 20_000, 60_000),
      back: fc.constantFrom(0, 0, 0, 1),
    }),
    { minLength: 1, maxLength: 60 },
  );
  const stepOf = (
    { type, back }: { readonly type: EventStep["type"]; readonly back: number },
    { token, now }: { readonly token: number; readonly now: number },
  ): EventStep => ({
    type,
    now,
    leaseMs: 60_000,
    token: token - back,
    maxAttempts: 3,
    retryAt: now + 20_000,
    reason: "no",
  });

  it("one claim holds at a time, only it settles, and what is done stays done", () => {
    fc.assert(
      fc.property(moves, (given) => {
        let state: EventState = received(0);
        let now = 0;
        for (const move of given) {
          now += move.wait;
          const before: EventState = state;
          const step = stepOf(move, { token: before.token, now });
          const next = transition(before, step);
          if (next === undefined) continue;
          state = next;
          expect(["handled", "superseded"]).not.toContain(before.at);
          if (before.at === "claimed") {
            const over = step.type === "expire" && now >= before.leaseEndsAt;
            expect(over || ("token" in step && step.token === before.token)).toBe(true);
            expect(next.at).not.toBe("claimed");
          }
          if (next.at === "claimed") expect(next.token).toBe(before.token + 1);
          else expect(next.token).toBe(before.token);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("the event is never tried more often than allowed, and never waits once it was", () => {
    fc.assert(
      fc.property(moves, (given) => {
        let state: EventState = received(0);
        let now = 0;
        for (const move of given) {
          now += move.wait;
          state = transition(state, stepOf(move, { token: state.token, now })) ?? state;
          expect(state.attempts).toBeLessThanOrEqual(3);
          if (state.at === "waiting") expect(state.attempts).toBeLessThan(3);
          if (state.at === "dead") expect(state.attempts).toBe(3);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("no pair of state and token is met twice", () => {
    fc.assert(
      fc.property(moves, (given) => {
        let state: EventState = received(0);
        let now = 0;
        const met = new Set<string>(["received 0"]);
        for (const move of given) {
          now += move.wait;
          const next = transition(state, stepOf(move, { token: state.token, now }));
          if (next === undefined) continue;
          // A revived event waits with the token it died with: it died claimed, and never waited with it.
          expect(met).not.toContain(`${next.at} ${String(next.token)}`);
          met.add(`${next.at} ${String(next.token)}`);
          state = next;
        }
      }),
      { numRuns: 500 },
    );
  });
});
