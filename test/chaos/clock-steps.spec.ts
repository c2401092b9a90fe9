import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { CLOCK_STEPS, faketime, stepClocks, steppedProcesses } from "./clock-steps.ts";
import { openStore } from "./delivery-store.ts";

const why = faketime === undefined ? " (skipped: faketime is not installed)" : "";
/** Far less than any step that stops something, and no bound of a loaded machine's speed. */
const withinMs = 15_000;

// All stores, processes and steps, and the bound of 2 s, are in `clock-steps.slow.ts`.
describe.skipIf(faketime === undefined)(
  `\`countersign serve\` whose wall clock steps (seed ${String(seed)})${why}`,
  { timeout: 120_000 },
  () => {
    it.each(drawn(steppedProcesses, 1))(
      "answers, delivers and reports the step: $processes on $store, of which $stepping step",
      async (of) => {
        const plan = { steps: drawn(CLOCK_STEPS, 1), withinMs };
        expect(await stepClocks(await openStore(of.store), of, plan)).toEqual([]);
      },
    );
  },
);
