import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { baselineOf, noticedOf, writeMutants } from "./mutants.ts";
import survivors from "./survivors.json" with { type: "json" };

describe("mutants of good receivers", { timeout: 120_000 }, () => {
  it(`fail a check of the kit, one of them with seed ${seed}`, async () => {
    const mutants = await writeMutants();
    const argued = new Set([
      ...Object.keys(survivors.equivalent),
      ...Object.keys(survivors.unnoticed),
    ]);
    const files = new Set(["express-by-hand.mjs", "hono.mjs", "ledger.mjs"]);
    const those = mutants.filter((one) => files.has(one.file) && !argued.has(one.name));
    const chosen = fc.sample(fc.constantFrom(...those), { numRuns: 1, seed });
    for (const mutant of chosen) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time, so that none is slowed
      const baseline = await baselineOf(mutant.file, 1);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect([mutant.name, await noticedOf(mutant, baseline, 1)]).not.toEqual([mutant.name, {}]);
    }
  });

  it("have no explanation for a survivor that no longer exists", async () => {
    const names = (await writeMutants()).map(({ name }) => name);
    const argued = Object.values(survivors).flatMap((reasons) => Object.keys(reasons));
    expect(argued.filter((name) => !names.includes(name))).toEqual([]);
  });
});
