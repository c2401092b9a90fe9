import { requirements } from "@countersign/contract-kit";
import { beforeAll, describe, expect, it } from "vitest";
import { alarmsAt } from "./good.ts";
import { matrixOf, offDiagonal } from "./matrix.ts";
import { receiverPart } from "./part.ts";

let part: Awaited<ReturnType<typeof receiverPart>>;
const all = requirements();
beforeAll(async () => {
  part = await receiverPart();
});

describe("the whole matrix of receivers", () => {
  it("is diagonal, but for what is argued", async () => {
    const { checks, faults, atOnce = 1 } = part;
    const rows = await matrixOf({ faults, checks, requirements: all, atOnce });
    expect(offDiagonal(rows)).toEqual([]);
  });

  it("has no alarm at a good receiver", async () => {
    const good = part.good.filter(({ missing }) => missing === undefined);
    const alarms: string[] = [];
    for (const one of good)
      alarms.push(...(await alarmsAt(one, { checks: part.checks, requirements: all, seed: 3 })));
    expect(alarms).toEqual([]);
    // Ours, those by hand and on libraries; other languages where the machine has them.
    expect(good.length).toBeGreaterThanOrEqual(11);
  });

  it("has none at those that wait for nothing for ever", async () => {
    const waiting = ["receiver/slow-bodies", "receiver/hanging"];
    const checks = part.checks.filter(({ id }) => waiting.includes(id));
    expect(checks).toHaveLength(waiting.length);
    const good = part.good.filter((one) => one.missing === undefined && one.findings === undefined);
    const options = { checks, requirements: all, slow: true };
    const alarms = await Promise.all(good.map((one) => alarmsAt(one, options)));
    expect(alarms.flat()).toEqual([]);
  });
});
