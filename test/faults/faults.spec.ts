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

  // `faults.slow.ts` tries them all.
  it.each(drawn(providerFaults, 1))(
    `of a provider are noticed by the checks: $id, with seed ${seed}`,
    async (fault) => {
      expect(await verdictOnProvider(fault)).toBe("noticed");
    },
  );

  // Some show only if eight attempts meet within a second, which a busy machine may not manage the first time.
  it.concurrent.each(drawn(receiverFaults, 2))(
    `of a receiver are noticed by the checks: $id, with seed ${seed}`,
    { retry: 1 },
    async (fault) => {
      expect(await verdictOnReceiver(fault)).toBe("noticed");
    },
  );
});
