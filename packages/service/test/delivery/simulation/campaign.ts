import { expect, it } from "vitest";
import { planOf } from "./plan.ts";
import { plant, type Bug } from "./planted-bugs.ts";
import { simulate, type Parts } from "./simulation.ts";

/** Number of worlds in which a planted bug must appear. The worlds are fixed, since some bugs appear only in a few. */
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

/** Runs the world of a seed. @returns `undefined`, or a report of the broken rule with the shortest world found for it. */
export async function findViolation(seed: number, parts: Parts = {}): Promise<string | undefined> {
  let plan = planOf(seed);
  if ((await simulate(plan, parts)).violation === undefined) return undefined;
  // Leaves out what the violation does not need, until nothing can be left out.
  for (let index = 0; index < plan.moves.length;) {
    const less = { ...plan, moves: plan.moves.toSpliced(index, 1) };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    if ((await simulate(less, parts)).violation === undefined) index += 1;
    else [plan, index] = [less, 0];
  }
  const { violation, trace } = await simulate(plan, parts, true);
  return [`seed ${seed}: ${violation}`, `endpoints: ${plan.endpoints.join(", ")}`, ...trace].join(
    "\n",
  );
}
