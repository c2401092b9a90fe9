import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { campaign, type Findings } from "./campaign.ts";
import { startTargets, type TargetProcess } from "./target-process.ts";
import { flawed, targets } from "./targets.ts";

const runs = 120;

describe(`A3: hostile requests (seed ${String(seed)})`, () => {
  let process: TargetProcess;
  // One process for all; the long lane starts one for each.
  beforeAll(async () => {
    process = await startTargets([...targets, ...flawed].map(({ name }) => name));
  });
  afterAll(() => process.kill());

  it.each(targets)("neither end nor fool a process with $name", async (mount) => {
    const { handled, statuses, ...findings } = await campaign(process, mount, { runs, seed });

    expect(findings).toEqual({ alive: true, faults: [], falseAccepts: [], falseRefusals: [] });
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["204", "400", "401"]));
    expect(handled).toBeGreaterThanOrEqual(runs / 20);
  });

  it("reveal a receiver that accepts, refuses or drops everything", async () => {
    const found: Findings[] = [];
    // One after the other: a report covers the process since the last one.
    for (const mount of flawed) found.push(await campaign(process, mount, { runs, seed }));
    const [believes, refuses, drops] = found;

    expect(believes?.falseAccepts.length).toBeGreaterThan(30);
    expect(refuses?.falseRefusals).toHaveLength(6);
    expect(drops?.faults.join()).toContain("unhandledRejection: SyntaxError");
  });
});
