import { expect, it } from "vitest";
import { gravesOf, writeMutants } from "./receiver-mutants.ts";

/** Share of all mutants that must fail a run at the default levels. Those that change nothing count as missed. */
const GOAL = 0.9;

it("notices nine of ten mutants of good receivers at the default levels", async () => {
  const mutants = await writeMutants();
  const missed: string[] = [];
  for (const [file, all] of Map.groupBy(mutants, (one) => one.file)) {
    // One run at a time, so that none is slowed.
    /* oxlint-disable no-await-in-loop */
    const baseline = new Set(await gravesOf({ file }));
    for (const mutant of all)
      if ((await gravesOf(mutant, baseline)).length === 0) missed.push(mutant.name);
    /* oxlint-enable no-await-in-loop */
    console.log(`${file}: ${String(all.length)} mutants`);
  }
  const share = 1 - missed.length / mutants.length;
  const noticed = `${String(mutants.length - missed.length)} of ${String(mutants.length)}`;
  console.log(`receiver-mutants: ${noticed} noticed (${(100 * share).toFixed(1)} %)`);
  console.log(["not noticed:", ...missed].join("\n  "));
  expect(share).toBeGreaterThanOrEqual(GOAL);
});
