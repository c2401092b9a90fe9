import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { campaign, targets } from "./campaign.ts";

const runs = 120;

// Some of the mounts; the long lane has them all, with many more requests.
describe(`A3: hostile requests (seed ${String(seed)})`, () => {
  it.each(drawn(targets, 3))("neither end nor fool a process with $name", async (mount) => {
    const { handled, statuses, ...findings } = await campaign(mount, { runs, seed });

    expect(findings).toEqual({ faults: [], falseAccepts: [], falseRefusals: [] });
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["204", "400", "401"]));
    expect(handled).toBeGreaterThanOrEqual(runs / 20);
  });
});
