import { expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { CLOCK_STEPS, faketime, stepClocks, steppedProcesses } from "./clock-steps.ts";
import { openStore } from "./chaos-store.ts";

const why = faketime === undefined ? " (skipped: faketime is not installed)" : "";
/** Far less than any step that stops something, and no bound of a loaded machine's speed. */
const withinMs = 15_000;

// All stores, processes and steps, and the bound of 2 s, are in `clock-steps.slow.ts`.
it.skipIf(faketime === undefined).each(drawn(steppedProcesses, 1))(
  `countersign serve answers, delivers and reports a step of its wall clock (seed ${String(seed)}): $processes on $store, of which $stepping step${why}`,
  { tags: "ci", timeout: 120_000 },
  async (of) => {
    const plan = { steps: [...drawn(CLOCK_STEPS, 1)], withinMs };
    expect(await stepClocks(await openStore(of.store), of, plan)).toEqual([]);
  },
);
