import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replay } from "./replay.ts";
import { canTake, transition } from "../../src/inbox/event-state.ts";
import { EVENTS, type Rules, search, type Step } from "./search.ts";
import { describeStore, queueStores } from "./stores.ts";

const none: Rules = { transition, canTake, order: "none" };
const perResource: Rules = { ...none, order: "per-resource" };

const unfenced: Rules["transition"] = (state, step) =>
  transition(state, "token" in step ? { ...step, token: state.token } : step);
const unlimited =
  (type: "claim" | "fail"): Rules["transition"] =>
  (state, step) =>
    transition(state, step.type === type ? { ...step, maxAttempts: Infinity } : step);
const endless = "an event stays unhandled under a fair scheduler";

/** The rules with one of them taken out, and what then breaks first. Worker 3 is the fair scheduler's. */
const faults: readonly {
  readonly without: string;
  readonly rules: Rules;
  readonly broken: string;
  readonly trace: string;
}[] = [
  {
    without: "fencing",
    rules: { ...none, transition: unfenced },
    broken: "a stale token changes an event",
    trace: "store 0, worker 0 take 0, lease end 0, worker 1 take 0, worker 0 complete",
  },
  {
    without: "fencing",
    rules: { ...perResource, transition: unfenced },
    broken: "a stale token changes an event",
    trace: "store 0, worker 0 take 0, lease end 0, worker 1 take 0, worker 0 complete and take",
  },
  {
    without: "the end of a lease",
    rules: {
      ...none,
      canTake: (event, queue, now) => event.state.at !== "claimed" && canTake(event, queue, now),
    },
    broken: endless,
    trace: "store 0, worker 3 take 0, lease end 0",
  },
  {
    without: "the rule of the resource",
    rules: {
      ...perResource,
      canTake: ({ state, sequence }, queue, now) => canTake({ state, sequence }, queue, now),
    },
    broken: "two events of a resource run at once",
    trace: "store 0, store 1, worker 0 take 0, worker 1 take 1",
  },
  {
    without: "maxAttempts for a handler that fails",
    rules: { ...none, transition: unlimited("fail") },
    broken: endless,
    trace:
      "store 0, worker 3 take 0, worker 3 fail, retry due 0, worker 3 take 0, worker 3 fail, " +
      "retry due 0, worker 3 take 0, worker 3 fail",
  },
  {
    without: "maxAttempts for a handler that hangs",
    rules: { ...none, transition: unlimited("claim") },
    broken: endless,
    trace: "store 0, worker 3 take 0, lease end 0, worker 3 take 0, lease end 0, worker 3 take 0",
  },
];

describe("[R-NEVER-LOST] [R-ONCE-FENCED] an exhaustive search", () => {
  it.each([none, perResource])(
    "finds that every event ends, claims never overlap and stale tokens change nothing with order $order",
    (rules) => {
      const { report, states } = search(rules);
      expect(report).toBe("every promise holds");
      // In case the model no longer moves.
      expect(states).toBeGreaterThan(20_000);
    },
  );

  it.each(faults)(
    "prints a shortest trace without $without, with order $rules.order",
    ({ rules, broken, trace }) => {
      expect(search(rules).report).toBe(`${broken}: ${trace}`);
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
    }, 30_000);
  });
