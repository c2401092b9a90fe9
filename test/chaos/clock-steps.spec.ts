import { describe, expect, it } from "vitest";
import { seeded } from "../fuzz/random.ts";
import { seed } from "../seed.ts";
import { CLOCK_STEPS, faketime, faultyOf, stepClocks } from "./clock-steps.ts";
import { isPostgresMissing, openStore } from "./delivery-store.ts";

const why = faketime === undefined ? " (skipped: faketime is not installed)" : "";
const random = seeded(seed);
const wait = { timeout: 120_000 };
/** Far less than any step that stops something, and no bound of a loaded machine's speed. */
const withinMs = 15_000;

// All steps, and the bound of 2 s, are in `clock-steps.slow.ts`.
describe.skipIf(faketime === undefined)(
  `\`countersign serve\` whose wall clock steps (seed ${String(seed)})${why}`,
  () => {
    const backlog = random.pick(CLOCK_STEPS.filter((step) => step.backlog));
    const calls = random.pick(CLOCK_STEPS.filter((step) => !step.backlog));

    it("answers, delivers a backlog and reports the step on SQLite", wait, async () => {
      const of = { processes: 1, stepping: [0] };
      const times = await stepClocks(await openStore("sqlite"), of, [backlog]);
      expect(faultyOf(times, { ...of, withinMs })).toEqual([]);
    });

    it.skipIf(isPostgresMissing)(
      "answers, delivers and reports the step on PostgreSQL, where it is one of two processes",
      wait,
      async () => {
        const of = { processes: 2, stepping: [1] };
        const times = await stepClocks(await openStore("postgres"), of, [calls]);
        expect(faultyOf(times, { ...of, withinMs })).toEqual([]);
      },
    );
  },
);
