import type { TakenEvent } from "@countersign/receiver";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ciAfter } from "../../../../test/tags.ts";
import { dueAtOf, isOpen, RECEIVED, runsAlone, transition } from "../../src/inbox/event-state.ts";
import {
  canTake,
  endOf,
  EVENTS,
  MAX_ATTEMPTS,
  type Order,
  type QueuedEvent,
  resourceOf,
  search,
  type Step,
} from "./search.ts";
import { describeStore, inCi, postgres, type Queued, sqlite } from "./stores.ts";

for (const [index, order] of (["per-resource", "none"] as const).entries())
  it(
    `[R-NEVER-LOST] [R-ONCE-FENCED] an exhaustive search finds that every event ends, claims never overlap and stale tokens change nothing with order ${order}`,
    { tags: ciAfter(1, index) },
    () => {
      const { report, states } = search(order);
      expect(report).toBe("every promise holds");
      // In case the model no longer moves.
      expect(states).toBeGreaterThan(10_000);
    },
  );

it("[R-DEAD-VISIBLE] [R-ONCE-FENCED] an event whose last attempt ends without a word runs alone once more, and then is dead with the reason, under a token that no attempt has had", () => {
  const limit = { leaseMs: 1, maxAttempts: 2 };
  const last = { at: "claimed", token: 5, attempts: 2, leaseEndsAt: 10 } as const;
  const claim = { type: "claim", now: 10, ...limit } as const;
  const alone = { at: "claimed", token: 6, attempts: 3, leaseEndsAt: 11, alone: true } as const;
  expect(transition(last, claim)).toEqual(alone);
  expect(transition(alone, { ...claim, now: 11 })).toEqual({
    at: "dead",
    token: 7,
    attempts: 3,
    reason: "CS_CLAIM_LOST: the process ended, or the lease ended, while the handler ran",
  });
});

const LEASE_MS = 60_000;
const WAIT_MS = 5000;

/**
 * Runs steps against an inbox and against the pure rules at once, and expects the same of both. A worker
 * takes all it can, and ends the events in the order in which it got them.
 */
async function replay(
  steps: readonly Step[],
  { inbox, order }: { inbox: Queued; order: Order },
): Promise<void> {
  const { queue } = inbox;
  const events = new Map<string, QueuedEvent>();
  const held = new Map<number, TakenEvent[]>();
  const limit = { maxAttempts: MAX_ATTEMPTS };
  let now = 1000;

  /** Claims the events that the rules allow, and expects the same to be taken. */
  const expectTaken = (taken: readonly TakenEvent[]): void => {
    const before = [...events.values()];
    const free = [...events].filter(([, event]) => canTake(event, before, now));
    const alone = free.filter(([, { state }]) => runsAlone(state, limit)).slice(0, 1);
    const due = alone.length > 0 ? alone : free;
    for (const [id, event] of due) {
      const claim = { type: "claim", now, leaseMs: LEASE_MS, ...limit } as const;
      const state = transition(event.state, claim);
      if (state !== undefined) events.set(id, { ...event, state });
    }
    const expected = due.filter(([id]) => events.get(id)?.state.at === "claimed");
    expect(taken.map(({ key }) => key.id)).toEqual(expected.map(([id]) => id));
    for (const { key, token, attempts } of taken)
      expect(events.get(key.id)?.state).toMatchObject({ token, attempts });
  };

  const run = async (step: Step): Promise<void> => {
    switch (step.do) {
      case "store": {
        const id = String(step.event);
        if (events.has(id)) return;
        const name = resourceOf(step.event, order);
        const resource = name === undefined ? undefined : { name, timestamp: 0 };
        const key = { provider: "acme", tenant: "", id };
        await queue.store({ key, digest: "d", type: "t", body: "{}", facts: "{}", now, resource });
        events.set(id, { state: RECEIVED, sequence: events.size, resource: name });
        return;
      }
      case "lease end":
      case "retry due": {
        const event = events.get(String(step.event));
        if (event !== undefined && isOpen(event.state)) now = Math.max(now, dueAtOf(event.state));
        return;
      }
      case "take": {
        const taken = await queue.take({
          provider: "acme",
          limit: EVENTS,
          leaseMs: LEASE_MS,
          now,
          ...limit,
        });
        expectTaken(taken);
        held.set(step.worker, [...(held.get(step.worker) ?? []), ...taken]);
        return;
      }
      case "crash":
        held.delete(step.worker);
        return;
      case "complete":
      case "supersede":
      case "fail": {
        const taken = held.get(step.worker)?.shift();
        const event = taken && events.get(taken.key.id);
        if (taken === undefined || event === undefined) return;
        const { key, token, attempts } = taken;
        const end = endOf(step.do, token, now + WAIT_MS);
        const state = transition(event.state, end);
        if (state !== undefined) events.set(key.id, { ...event, state });
        if (end.type === "fail")
          expect(await queue.fail({ key, now, attempts, ...end })).toBe(state?.at);
        else {
          const settlement = { key, token, now, superseded: end.type === "supersede" };
          expect(await inbox.complete(settlement)).toBe(state !== undefined);
        }
        return;
      }
      default:
        step satisfies never;
    }
  };
  for (const step of steps) {
    await run(step);
    const states = [...events.values()].map(({ state }) => state);
    const { unhandled } = await queue.status({ dueBefore: now });
    expect(unhandled).toBe(states.filter(isOpen).length);
    expect(await queue.dead({ limit: EVENTS })).toHaveLength(
      states.filter(({ at }) => at === "dead").length,
    );
  }
}

for (const store of [sqlite, inCi(postgres)])
  describeStore(store, (open) => {
    it("[R-NEVER-LOST] [R-ONCE-FENCED] agrees with the pure rules on any sequence of steps", async () => {
      const worker = fc.integer({ min: 0, max: 2 });
      const event = fc.integer({ min: 0, max: EVENTS - 1 });
      const ends = fc.constantFrom("complete", "fail", "supersede", "crash");
      const step: fc.Arbitrary<Step> = fc.oneof(
        fc.record({ do: fc.constantFrom("store", "lease end", "retry due"), event }),
        fc.record({ do: fc.constant("take"), worker, event }),
        fc.record({ do: ends, worker }),
      );
      const steps = fc.array(step, { minLength: 10, maxLength: 40 });
      const order = fc.constantFrom("none", "per-resource");
      await fc.assert(
        fc.asyncProperty(steps, order, async (walk, chosen) => {
          const inbox = await open();
          const replayed = replay(walk, { inbox, order: chosen });
          await expect(replayed).resolves.toBeUndefined();
        }),
        { numRuns: 15 },
      );
    });
  });
