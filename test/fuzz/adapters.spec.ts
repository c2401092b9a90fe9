import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { campaign, type Findings } from "./campaign.ts";
import { flawed } from "./flawed.ts";
import { startTargets, type TargetProcess } from "./target-process.ts";
import { targets } from "./targets.ts";
import { seed } from "../seed.ts";

const EXPRESS = "toExpress on Express 5";

describe(`A3: hostile requests (seed ${String(seed)})`, () => {
  let process: TargetProcess;
  // One for all: a fault is told by the campaign that it happens in. The slow lane has one for each.
  beforeAll(async () => {
    process = await startTargets([...targets, ...flawed].map(({ name }) => name));
  });
  afterAll(() => process.kill());

  it.each(targets)("neither end nor fool a process with $name", async (mount) => {
    const isLong = mount.name === EXPRESS;
    const runs = isLong ? 2000 : 300;
    const { handled, statuses, ...findings } = await campaign(process, mount, { runs, seed });

    expect(findings).toEqual({ alive: true, faults: [], falseAccepts: [], falseRefusals: [] });
    // All sorts of requests were met, not one sort only. One in a hundred is answered 415: a short
    // campaign may have none.
    const sorts = ["204", "400", "401", ...(isLong ? ["415"] : [])];
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(sorts));
    expect(handled).toBeGreaterThanOrEqual(runs / 20);
  });

  it("find out a receiver that believes, refuses or drops everything", async () => {
    const found: Findings[] = [];
    // One after the other: a report tells what has happened in the process since the last one.
    for (const mount of flawed) found.push(await campaign(process, mount, { runs: 200, seed }));
    const [believes, refuses, drops] = found;

    expect(believes?.falseAccepts.length).toBeGreaterThan(50);
    expect(refuses?.falseRefusals).toHaveLength(10);
    expect(drops?.faults.join()).toContain("unhandledRejection: SyntaxError");
  });
});
