import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { campaign } from "./campaign.ts";
import { startTargets } from "./target-process.ts";
import { targets } from "./targets.ts";

/** Requests at each adapter; a million is the same command with this number. */
const RUNS = 100_000;

describe(`A3: ${String(RUNS)} hostile requests each (seed ${String(seed)})`, () => {
  it.each(targets)("neither end nor fool a process with $name", async (mount) => {
    const process = await startTargets([mount.name]);
    const { handled, statuses, ...findings } = await campaign(process, mount, { runs: RUNS, seed });
    await process.kill();

    console.log(mount.name, handled, statuses);
    expect(findings).toEqual({ alive: true, faults: [], falseAccepts: [], falseRefusals: [] });
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["204", "400", "401", "415"]));
    expect(handled).toBeGreaterThanOrEqual(RUNS / 20);
  });
});
