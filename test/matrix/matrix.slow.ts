import { providerChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { alarmsAt, matrixOf, offDiagonal } from "./matrix.ts";
import { providerFaults } from "./providers/faults.ts";
import { roles } from "./roles.ts";

const all = { requirements: requirements() };

describe("the whole detection matrix", () => {
  it("is diagonal for receivers, except for argued rows", async () => {
    const { checks, faults, atOnce } = await roles.receiver();
    expect(offDiagonal(await matrixOf(faults, { ...all, checks, atOnce }))).toEqual([]);
  });

  it(`catches every broken provider by its check, with seed ${seed}`, async () => {
    const options = { ...all, checks: providerChecks, isShort: true, seed, runs: 100, atOnce: 3 };
    const rows = await matrixOf(providerFaults, options);
    expect(offDiagonal(rows, { isShort: true })).toEqual([]);
  });

  it("raises no alarm at a good receiver", async () => {
    const { checks, good } = await roles.receiver();
    const here = good.filter(({ missing }) => missing === undefined);
    const alarms: string[] = [];
    for (const one of here) alarms.push(...(await alarmsAt(one, { ...all, checks, seed: 3 })));
    expect(alarms).toEqual([]);
    // Ours, those by hand and on libraries; other languages if the machine has them.
    expect(here.length).toBeGreaterThanOrEqual(11);
  });

  it("raises no alarm at a good receiver in the checks that wait for its deadlines", async () => {
    const { checks: every, good } = await roles.receiver();
    const checks = every.filter(({ id }) => /slow-bodies|hanging/.test(id));
    expect(checks).toHaveLength(2);
    const here = good.filter((one) => one.missing === undefined && one.findings === undefined);
    const options = { ...all, checks, slow: true };
    expect((await Promise.all(here.map((one) => alarmsAt(one, options)))).flat()).toEqual([]);
  });
});
