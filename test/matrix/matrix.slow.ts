import { providerChecks, receiverChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { goodReceivers } from "./good/receivers.ts";
import { alarmsAt, matrixOf, offDiagonal } from "./matrix.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";

const all = { requirements: requirements() };
const here = goodReceivers.filter(({ missing }) => missing === undefined);

describe("the whole detection matrix", () => {
  it("is diagonal for receivers, except for argued rows", async () => {
    const rows = await matrixOf(receiverFaults, { ...all, checks: receiverChecks, atOnce: 4 });
    expect(offDiagonal(rows)).toEqual([]);
  });

  it(`catches every broken provider by its check, with seed ${seed}`, async () => {
    const options = { ...all, checks: providerChecks, isShort: true, seed, runs: 100, atOnce: 3 };
    const rows = await matrixOf(providerFaults, options);
    expect(offDiagonal(rows, { isShort: true })).toEqual([]);
  });

  it(`raises no alarm at a good receiver, with seed ${seed}`, async () => {
    const options = { ...all, checks: receiverChecks, seed };
    const alarms: string[] = [];
    for (const one of here) alarms.push(...(await alarmsAt(one, options)));
    expect(alarms).toEqual([]);
    // Ours, those by hand and on libraries; other languages if the machine has them.
    expect(here.length).toBeGreaterThanOrEqual(11);
  });

  it("raises no alarm at a good receiver in the checks that wait for its deadlines", async () => {
    const checks = receiverChecks.filter(({ id }) => /slow-bodies|hanging/.test(id));
    expect(checks).toHaveLength(2);
    const faultless = here.filter(({ findings }) => findings === undefined);
    const options = { ...all, checks, slow: true };
    expect((await Promise.all(faultless.map((one) => alarmsAt(one, options)))).flat()).toEqual([]);
  });
});
