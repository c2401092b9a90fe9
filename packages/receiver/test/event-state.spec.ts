import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claim, type EventState, settle } from "../src/event-state.ts";

const request = { digest: "d", leaseMs: 60_000, now: 0 };

describe("a claim", () => {
  it("of an unknown event holds, with the first token", () => {
    expect(claim(undefined, request)).toEqual({
      state: { at: "claimed", digest: "d", token: 1, leaseEndsAt: 60_000 },
      answer: { state: "claimed", token: 1 },
    });
  });

  it("of a claimed event is busy until its lease has ended, and then holds with a new token", () => {
    const { state } = claim(undefined, request);
    expect(claim(state, { ...request, now: 59_999 }).answer).toEqual({
      state: "busy",
      until: 60_000,
    });
    expect(claim(state, { ...request, now: 60_000 }).answer).toEqual({
      state: "claimed",
      token: 2,
    });
  });

  it.each(["claimed", "handled", "waiting"] as const)(
    "of a %s event with another body is a conflict",
    (at) => {
      const state: EventState =
        at === "claimed"
          ? { at, digest: "d", token: 1, leaseEndsAt: 0 }
          : { at, digest: "d", token: 1 };
      expect(claim(state, { ...request, digest: "other" }).answer).toEqual({ state: "conflict" });
    },
  );
});

describe("whatever happens to one event", () => {
  it("at most one claim holds at any instant, and only the current one settles", () => {
    // Moves are made from the state they meet: tokens are those that were given out, and time passes
    // by parts of a lease, so that expiry, stale settlement and a second claim all happen.
    const move = fc.record({
      what: fc.constantFrom("claim", "complete", "release"),
      wait: fc.constantFrom(0, 20_000, 60_000),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(move, { minLength: 1, maxLength: 40 }), (moves) => {
        let state: EventState | undefined;
        let now = 0;
        let holder: { token: number; until: number } | undefined;
        const tokens: number[] = [];
        let handled = false;
        for (const { what, wait, which } of moves) {
          now += wait;
          if (what === "claim") {
            const next = claim(state, { ...request, now });
            if (next.answer.state === "claimed") {
              expect(handled).toBe(false);
              expect(holder === undefined || now >= holder.until).toBe(true);
              expect(tokens).not.toContain(next.answer.token);
              tokens.push(next.answer.token);
              holder = { token: next.answer.token, until: now + request.leaseMs };
            } else expect(handled || holder !== undefined).toBe(true);
            state = next.state;
          } else if (tokens.length > 0) {
            const token = tokens[which % tokens.length] ?? 0;
            const next = settle(state, { token, as: what === "complete" ? "handled" : "waiting" });
            expect(next !== undefined).toBe(holder?.token === token);
            if (next === undefined) continue;
            state = next;
            holder = undefined;
            handled ||= what === "complete";
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
