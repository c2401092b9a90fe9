import { providerChecks, receiverChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { goodReceivers } from "./good/receivers.ts";
import { alarmsAt, missedOf } from "./matrix.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";

const receiver = { checks: receiverChecks, requirements: requirements(), seed };

describe("the whole detection matrix", () => {
  it(`catches every broken receiver by its requirement, with seed ${seed}`, async () => {
    const slow = receiverFaults.filter(({ isSlow }) => isSlow);
    const quick = receiverFaults.filter(({ isSlow }) => !isSlow);
    expect(await missedOf(quick, { ...receiver, atOnce: 4 })).toEqual([]);
    expect(await missedOf(slow, { ...receiver, slow: true, atOnce: 4 })).toEqual([]);
  });

  it(`catches every broken provider by its requirement, with seed ${seed}`, async () => {
    const options = { checks: providerChecks, requirements: requirements(), seed, runs: 100 };
    expect(await missedOf(providerFaults, { ...options, atOnce: 3 })).toEqual([]);
  });

  describe.each(goodReceivers)("a good receiver, $name", ({ missing, ...good }) => {
    it(`raises no alarm, with seed ${seed}`, async ({ skip }) => {
      const reason = missing?.();
      if (reason !== undefined) skip(reason);
      expect(await alarmsAt(good, receiver)).toEqual([]);
    });

    it.runIf(good.isStock !== true)(
      "raises no alarm in the checks that wait for its deadlines",
      async () => {
        const only = ["R-BODY-SLOW", "R-ACK-HANGING"];
        expect(await alarmsAt(good, { ...receiver, only, slow: true })).toEqual([]);
      },
    );
  });
});
