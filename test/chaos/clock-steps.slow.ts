import { describe, expect, it } from "vitest";
import { runRounds, SERVICE } from "../evidence.ts";
import { seed } from "../seed.ts";
import { CLOCK_STEPS, faketime, faultyOf, stepClocks } from "./clock-steps.ts";
import { isPostgresMissing, storesOf } from "./delivery-store.ts";

const why = faketime === undefined ? " (skipped: faketime is not installed)" : "";
const all = [
  { store: "sqlite", processes: 1, stepping: [0] },
  { store: "postgres", processes: 1, stepping: [0] },
  { store: "postgres", processes: 2, stepping: [0, 1] },
  { store: "postgres", processes: 2, stepping: [0] },
  { store: "postgres", processes: 2, stepping: [1] },
] as const;
const lanes = all.filter(({ store }) => store === "sqlite" || !isPostgresMissing);

describe(`\`countersign serve\` whose wall clock steps${why}`, () => {
  it.skipIf(faketime === undefined).each(lanes)(
    "answers and delivers within 2 s after every step: $processes on $store, of which $stepping step",
    async ({ store, ...of }) => {
      const open = await storesOf(store);
      const opened = await open();
      const { result } = await runRounds({
        campaign: `clock-steps-${store}-${of.stepping.join("-")}-of-${String(of.processes)}`,
        file: "test/chaos/clock-steps.slow.ts",
        measures: SERVICE,
        seed,
        goal: CLOCK_STEPS.length,
        unit: "steps of wall clocks",
        round: async () => {
          const times = await stepClocks(opened, of, CLOCK_STEPS);
          console.table(times);
          const faulty = faultyOf(times, { ...of, withinMs: 2000 });
          return {
            done: times.length,
            result: { faulty: faulty.map((one) => JSON.stringify(one)) },
          };
        },
      });
      expect(result.faulty).toEqual([]);
    },
  );
});
