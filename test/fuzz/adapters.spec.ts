import { randomInt } from "node:crypto";
import { describe, expect, it } from "vitest";
import { campaign } from "./campaign.ts";
import { flawed } from "./flawed.ts";
import { targets } from "./targets.ts";

// Printed, so that a failure can be sent again.
const seed = randomInt(2 ** 31);
const EXPRESS = "toExpress on Express 5";

describe(`A3: hostile requests (seed ${String(seed)})`, () => {
  it.each(targets)("neither end nor fool a process with $name", async (mount) => {
    const runs = mount.name === EXPRESS ? 2000 : 300;
    const { handled, statuses, ...findings } = await campaign(mount, { runs, seed });

    expect(findings).toEqual({ alive: true, faults: [], falseAccepts: [], falseRefusals: [] });
    // All sorts of requests were met, not one sort only.
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["204", "400", "401", "415"]));
    expect(handled).toBeGreaterThanOrEqual(runs / 20);
  });

  it("find out a receiver that believes, refuses or drops everything", async () => {
    const [believes, refuses, drops] = await Promise.all(
      flawed.map((mount) => campaign(mount, { runs: 200, seed })),
    );

    expect(believes?.falseAccepts.length).toBeGreaterThan(50);
    expect(refuses?.falseRefusals).toHaveLength(10);
    expect(drops?.faults.join()).toContain("unhandledRejection: SyntaxError");
  });
});
