import { describe, expect, it } from "vitest";
import {
  type EventState,
  type EventStep,
  LEASE_ENDED,
  received,
  transition,
} from "../src/inbox/event-state.ts";

// What any sequence of these steps leads to is searched in inboxes/search.spec.ts.
const LEASE = 60_000;
const limit = { maxAttempts: 3, retryAt: 5000, reason: "no" };
const claimAt = (now: number): EventStep => ({
  type: "claim",
  now,
  leaseMs: LEASE,
  maxAttempts: 3,
});
const claimed: EventState = { at: "claimed", token: 1, attempts: 1, leaseEndsAt: LEASE };
const waiting: EventState = { at: "waiting", token: 1, attempts: 1, dueAt: 5000 };
const last: EventState = { ...claimed, attempts: 3 };
const dead: EventState = { at: "dead", token: 1, attempts: 3, reason: "no" };
const reclaimed = (now: number): EventState => ({
  ...claimed,
  token: 2,
  attempts: 2,
  leaseEndsAt: now + LEASE,
});
const done = { token: 1, attempts: 1 };
const revived: EventState = { at: "waiting", token: 1, attempts: 0, dueAt: 7 };
const succeed = (token: number): EventStep => ({ type: "succeed", token });
const supersede = (token: number): EventStep => ({ type: "supersede", token });
const fail = (token: number): EventStep => ({ type: "fail", token, ...limit });
const revive: EventStep = { type: "revive", now: 7 };

describe("an event's state", () => {
  it.each<[string, EventState, EventStep, EventState | undefined]>([
    ["is claimed with the first token", received(0), claimAt(0), claimed],
    ["is handled by the claim's token", claimed, succeed(1), { at: "handled", ...done }],
    ["is superseded by the claim's token", claimed, supersede(1), { at: "superseded", ...done }],
    ["is not handled by another token", claimed, succeed(2), undefined],
    ["is not superseded by another token", claimed, supersede(2), undefined],
    ["does not fail by another token", claimed, fail(2), undefined],
    ["waits for its retry after a failure", claimed, fail(1), waiting],
    ["is not claimed before its retry", waiting, claimAt(4999), undefined],
    ["is claimed at its retry", waiting, claimAt(5000), reclaimed(5000)],
    ["is not claimed within a lease", claimed, claimAt(LEASE - 1), undefined],
    ["is claimed at the end of a lease", claimed, claimAt(LEASE), reclaimed(LEASE)],
    ["is dead after its last failure", last, fail(1), dead],
    [
      "is dead when its last lease has ended",
      last,
      claimAt(LEASE),
      { ...dead, token: 2, reason: LEASE_ENDED },
    ],
    ["is revived with new attempts and its token", dead, revive, revived],
    ["is not revived while it waits", waiting, revive, undefined],
  ])("%s", (_title, state, step, after) => {
    expect(transition(state, step)).toEqual(after);
  });
});
