import { describe, expect, it } from "vitest";
import { CLOCK_STEPS, faketime, faultyOf, stepClocks } from "./clock-steps.ts";
import { isPostgresMissing, postgresStore, sqliteStore } from "./delivery-store.ts";

const why = faketime === undefined ? " (skipped: faketime is not installed)" : "";
const all = [
  { store: "sqlite", processes: 1, stepping: [0] },
  { store: "postgres", processes: 1, stepping: [0] },
  { store: "postgres", processes: 2, stepping: [0, 1] },
  { store: "postgres", processes: 2, stepping: [0] },
  { store: "postgres", processes: 2, stepping: [1] },
];
const lanes = all.filter(({ store }) => store === "sqlite" || !isPostgresMissing);

describe(`\`countersign serve\` whose wall clock steps${why}`, () => {
  it.skipIf(faketime === undefined).each(lanes)(
    "answers and delivers within 2 s after every step: $processes on $store, of which $stepping step",
    async ({ store, ...of }) => {
      const opened = store === "sqlite" ? sqliteStore() : await postgresStore();
      const times = await stepClocks(opened, of, CLOCK_STEPS);
      console.table(times);
      expect(faultyOf(times, { ...of, withinMs: 2000 })).toEqual([]);
    },
  );
});
