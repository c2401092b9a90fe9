import { expect, it } from "vitest";
import { runRounds } from "../rounds.ts";
import { CLOCK_STEPS, faketime, stepClocks, steppedProcesses } from "./clock-steps.ts";
import { storesOf } from "./chaos-store.ts";

const why = faketime === undefined ? " (skipped: faketime is not installed)" : "";

it.skipIf(faketime === undefined).each(steppedProcesses)(
  `countersign serve answers and delivers within 2 s after every step of its wall clock: $processes on $store, of which $stepping step${why}`,
  async (of) => {
    const { store, processes, stepping } = of;
    const open = await storesOf(store);
    const result = await runRounds({
      campaign: `clock-steps-${store}-${stepping.join("-")}-of-${String(processes)}`,
      goal: CLOCK_STEPS.length,
      unit: "steps of wall clocks",
      round: async () => {
        const faulty = await stepClocks(await open(), of, { steps: CLOCK_STEPS, withinMs: 2000 });
        return { done: CLOCK_STEPS.length, result: { faulty } };
      },
    });
    expect(result.faulty).toEqual([]);
  },
);
