import type { Inbox, TransactionalInbox } from "@countersign/receiver";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replay } from "./replay.ts";
import { EVENTS, rules, search, type Step } from "./search.ts";
import { queueStores } from "./stores.ts";

describe("an exhaustive search", () => {
  it.each(["none", "per-resource"] as const)(
    "finds that every event ends, claims never overlap and stale tokens change nothing with order %j",
    (order) => {
      // In case the model no longer moves.
      expect(search(order, rules)).toBeGreaterThan(3000);
    },
  );

  it("finds what breaks without fencing, leases that end, a resource's rule or a limit of attempts", () => {
    const { transition, canTake } = rules;
    const unfenced = search("none", {
      ...rules,
      transition: (state, step) =>
        transition(state, "token" in step ? { ...step, token: state.token } : step),
    });
    const unleased = search("none", {
      ...rules,
      canTake: (event, queue, now) => event.state.at !== "claimed" && canTake(event, queue, now),
    });
    const unordered = search("per-resource", {
      ...rules,
      canTake: ({ state, sequence }, queue, now) => canTake({ state, sequence }, queue, now),
    });
    const unlimited = search("none", { ...rules, maxAttempts: Infinity });
    expect([unfenced, unleased, unordered, unlimited]).toEqual([
      "a stale token changes an event",
      "an event stays unhandled under a fair scheduler",
      "two events of a resource run at once",
      "an event stays unhandled under a fair scheduler",
    ]);
  });
});

for (const store of queueStores)
  describe.skipIf(store.skipped !== "")(`${store.name}${store.skipped}`, () => {
    let started: Awaited<ReturnType<(typeof queueStores)[number]["start"]>>;
    beforeAll(async () => {
      started = await store.start();
    }, 60_000);
    afterAll(() => started.stop());

    /** SQLite's inbox ignores a worker's request for the next event: its completions share a flush anyway. */
    const beginOf = (inbox: Inbox): TransactionalInbox<unknown>["begin"] | undefined =>
      "maxConcurrentHandlers" in inbox
        ? (inbox as TransactionalInbox<unknown>).begin.bind(inbox)
        : undefined;

    it("agrees with the pure rules on any sequence of steps", async () => {
      const worker = fc.integer({ min: 0, max: 2 });
      const event = fc.integer({ min: 0, max: EVENTS - 1 });
      const step: fc.Arbitrary<Step> = fc.oneof(
        fc.record({ do: fc.constantFrom("store", "lease end", "retry due"), event }),
        fc.record({ do: fc.constant("take"), worker, event }),
        fc.record({ do: fc.constantFrom("complete", "fail", "supersede", "crash"), worker }),
      );
      const steps = fc.array(step, { minLength: 10, maxLength: 40 });
      const order = fc.constantFrom("none", "per-resource");
      await fc.assert(
        fc.asyncProperty(steps, order, fc.boolean(), async (walk, chosen, together) => {
          const inbox = await started.open();
          const begin = together ? beginOf(inbox) : undefined;
          expect(await replay(walk, { inbox, order: chosen, begin })).toBe(walk.length);
          started.close?.(inbox);
        }),
        { numRuns: 25 },
      );
    }, 30_000);
  });
