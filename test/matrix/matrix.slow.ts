import { providerChecks, receiverChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { goodProviders } from "./good/providers.ts";
import { goodReceivers } from "./good/receivers.ts";
import { meetProviders, meetReceivers, receiverHostilities } from "./hostile/meet.ts";
import { hostilities } from "./hostile/servers.ts";
import { alarmsAt, missedOf } from "./matrix.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";

const receiver = { checks: receiverChecks, requirements: requirements(), seed };
const provider = { checks: providerChecks, requirements: requirements(), seed };

describe("a run against a hostile target", () => {
  meetReceivers(receiverHostilities);
  meetProviders(Object.keys(hostilities));
});

describe("the whole detection matrix", () => {
  it(`catches every broken receiver by its requirement, with seed ${seed}`, async () => {
    const slow = receiverFaults.filter(({ isSlow }) => isSlow);
    const quick = receiverFaults.filter(({ isSlow }) => !isSlow);
    expect(await missedOf(quick, { ...receiver, atOnce: 4 })).toEqual([]);
    expect(await missedOf(slow, { ...receiver, slow: true, atOnce: 4 })).toEqual([]);
  });

  it(`catches every broken provider by its requirement, with seed ${seed}`, async () => {
    expect(await missedOf(providerFaults, { ...provider, runs: 100, atOnce: 3 })).toEqual([]);
  });

  describe.each(goodProviders)("a good provider, $name", ({ missing, ...good }) => {
    it("raises no alarm", async ({ skip }) => {
      const reason = missing?.();
      if (reason !== undefined) skip(reason);
      expect(await alarmsAt(good, { ...provider, runs: 12 })).toEqual([]);
    });
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
