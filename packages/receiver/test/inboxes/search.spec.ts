import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replay } from "./replay.ts";
import { EVENTS, search, type Step } from "./search.ts";
import { describeStore, queueStores } from "./stores.ts";

describe("[R-NEVER-LOST] [R-ONCE-FENCED] an exhaustive search", () => {
  it.each(["none", "per-resource"] as const)(
    "finds that every event ends, claims never overlap and stale tokens change nothing with order %s",
    (order) => {
      const { report, states } = search(order);
      expect(report).toBe("every promise holds");
      // In case the model no longer moves.
      expect(states).toBeGreaterThan(10_000);
    },
  );
});

for (const store of queueStores)
  describeStore(store, (open) => {
    it("[R-NEVER-LOST] [R-ONCE-FENCED] agrees with the pure rules on any sequence of steps", async () => {
      const worker = fc.integer({ min: 0, max: 2 });
      const event = fc.integer({ min: 0, max: EVENTS - 1 });
      const ends = fc.constantFrom("complete", "complete and take", "fail", "supersede", "crash");
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
          const agreed = replay(walk, { inbox, order: chosen, takesNext: store.takesNext });
          expect(await agreed).toBe(walk.length);
        }),
        { numRuns: 25 },
      );
    });
  });
