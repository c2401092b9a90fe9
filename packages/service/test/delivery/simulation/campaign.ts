import { expect, it } from "vitest";
import { planOf } from "./plan.ts";
import { plant, type Bug } from "./planted-bugs.ts";
import { findViolation, simulate } from "./simulation.ts";

/** Worlds in which a planted bug must show. They are always the same: some bugs show in a few of them only. */
const PLANTED_WORLDS = 300;

/** Runs worlds of consecutive seeds. @returns A report of the first broken rule. */
export async function firstViolation(seed: number, worlds: number): Promise<string | undefined> {
  for (let world = seed; world < seed + worlds; world += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one world after the other
    const report = await findViolation(world);
    if (report !== undefined) return report;
  }
  return undefined;
}

/** Tests that the rules find each of these bugs. */
export function findsBugs(bugs: readonly Bug[]): void {
  it.each(bugs)("finds $name", async (bug) => {
    const parts = await plant(bug);
    let found: string | undefined;
    for (let seed = 0; seed < PLANTED_WORLDS && found === undefined; seed += 1)
      // oxlint-disable-next-line no-await-in-loop -- one world after the other
      found = (await simulate(planOf(seed), parts)).violation;
    expect(found).toMatch(bug.rule);
  });
}
