import { providerChecks, receiverChecks } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { driftedEdits, receiverFaults, verdictOnReceiver } from "./faults.ts";
import { providerFaults, verdictOnProvider } from "./provider-faults.ts";

describe("the faults", { timeout: 180_000 }, () => {
  it("of a receiver fit the source that they change", () => {
    expect(driftedEdits).toEqual([]);
  });

  it.each([
    ["provider", providerChecks, providerFaults],
    ["receiver", receiverChecks, receiverFaults],
  ] as const)("of a %s break each requirement that a check tests", (_role, checks, faults) => {
    const tested = new Set(checks.flatMap((check) => check.requirements));
    expect(new Set(faults.map(({ fails }) => fails))).toEqual(tested);
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  });

  it("are noticed by the checks, one of each role", { tags: "ci" }, async () => {
    const [ofProvider] = providerFaults;
    const [ofReceiver] = receiverFaults;
    if (ofProvider === undefined || ofReceiver === undefined) throw new Error("there is no fault");
    expect(await verdictOnProvider(ofProvider)).toBe("noticed");
    expect(await verdictOnReceiver(ofReceiver)).toBe("noticed");
  });

  // Some wait for a deadline. `faults.slow.ts` tries them all.
  it.each(drawn(providerFaults, 1))(
    `of a provider are noticed by the checks: $id, with seed ${seed}`,
    { tags: "ci" },
    async (fault) => {
      expect(await verdictOnProvider(fault)).toBe("noticed");
    },
  );
  it.concurrent.each(drawn(receiverFaults, 2))(
    `of a receiver are noticed by the checks: $id, with seed ${seed}`,
    { tags: "ci" },
    async (fault) => {
      expect(await verdictOnReceiver(fault)).toBe("noticed");
    },
  );
});
