import { beforeAll, describe, expect, it } from "vitest";
import { failuresOf, type Mutant, writeMutants } from "./receiver-mutants.ts";
import survivors from "./survivors.json" with { type: "json" };

/** Share of the mutants that change behaviour which must fail a run at the default levels. */
const GOAL = 0.9;
const mutants = await writeMutants();

describe("mutants of good receivers", () => {
  const baselines = new Map<string, ReadonlySet<string>>();
  beforeAll(async () => {
    // One at a time, so that none is slowed.
    for (const file of new Set(mutants.map((one) => one.file)))
      baselines.set(file, new Set((await failuresOf({ file })).map(({ id }) => id)));
  }, 600_000);

  const red = new Set<string>();
  const isRed = ({ name }: Mutant): boolean => red.has(name);
  it.each(mutants)("fail a check at the default levels or are argued: $name", async (mutant) => {
    const failures = await failuresOf(mutant, baselines.get(mutant.file) ?? new Set());
    if (failures.some(({ isGrave }) => isGrave)) red.add(mutant.name);
    const { equivalent, unnoticed, warned } = survivors;
    const argued = failures.length === 0 ? { ...equivalent, ...unnoticed } : warned;
    expect(isRed(mutant) || Object.hasOwn(argued, mutant.name)).toBe(true);
  });

  it("fail a check at the default levels in nine of ten cases if they change behaviour", () => {
    const changing = mutants.filter(({ name }) => !Object.hasOwn(survivors.equivalent, name));
    for (const [file, all] of Map.groupBy(changing, (one) => one.file))
      console.log(`${file}: ${all.filter(isRed).length} of ${all.length} mutants fail a check`);
    expect(changing.filter(isRed).length / changing.length).toBeGreaterThanOrEqual(GOAL);
  });

  it("have no explanation for a survivor that no longer exists", () => {
    const names = mutants.map(({ name }) => name);
    const reasons = Object.values(survivors).flatMap((one) => Object.keys(one));
    expect(reasons.filter((name) => !names.includes(name))).toEqual([]);
  });
});
