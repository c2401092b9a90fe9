import { providerChecks, receiverChecks, requirements, run } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { driftedEdits, openStrictReceiver, receiverFaults, verdictOnReceiver } from "./faults.ts";
import { providerFaults, verdictOnProvider } from "./provider-faults.ts";

describe("the faults", { timeout: 180_000 }, () => {
  it("of a receiver fit the source that they change", () => {
    expect(driftedEdits).toEqual([]);
  });

  it.each([
    ["provider", providerChecks, providerFaults],
    ["receiver", receiverChecks, receiverFaults],
  ] as const)("of a %s break each requirement that a check tests", (_role, checks, faults) => {
    // Faults of reconciliation are in the kit's own tests: the receiver here has none.
    const own = checks.filter(({ id }) => id !== "receiver/reconciled");
    const tested = new Set(own.flatMap((check) => check.requirements));
    expect(new Set(faults.map(({ fails }) => fails))).toEqual(tested);
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
  });

  it("are noticed by the checks, one of each role", { tags: "ci" }, async () => {
    const [ofProvider] = providerFaults;
    const [ofReceiver] = receiverFaults;
    if (ofProvider === undefined || ofReceiver === undefined) throw new Error("no fault is listed");
    expect(await verdictOnProvider(ofProvider)).toBe("noticed");
    expect(await verdictOnReceiver(ofReceiver)).toBe("noticed");
  });

  it(
    "are missing in the receiver by hand, at which no check raises an alarm",
    { tags: "ci" },
    async () => {
      const { target, close } = await openStrictReceiver();
      const { findings } = await run({
        target,
        checks: receiverChecks,
        requirements: requirements("receiver"),
        seed,
      });
      await close();
      const alarms = findings.filter(({ status }) => status === "fail" || status === "error");
      expect(alarms.map((one) => `${one.requirement.id}: ${one.message}`)).toEqual([]);
    },
  );

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
