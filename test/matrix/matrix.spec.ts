import { providerChecks, receiverChecks, requirements } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { drawn, seed } from "../seed.ts";
import { byHand } from "./good/receivers.ts";
import { libraryFaults } from "./good/library-faults.ts";
import { alarmsAt, missedOf } from "./matrix.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";
import manifest from "../../package.json" with { type: "json" };

const receiver = { checks: receiverChecks, requirements: requirements() };
const provider = { checks: providerChecks, requirements: requirements(), runs: 12 };
/** A tenth, drawn by the run's seed: the long lane takes them all. */
const tenthOf = <T>(all: readonly T[]): readonly T[] => drawn(all, Math.ceil(all.length / 10));
const unbroken = (
  checks: readonly { readonly requirements: readonly string[] }[],
  faults: readonly { readonly requirement: string }[],
): readonly string[] =>
  checks
    .flatMap((check) => check.requirements)
    .filter((id) => !faults.some(({ requirement }) => requirement === id));

describe("the detection matrix", { timeout: 180_000 }, () => {
  // Some faults show only if eight attempts meet within a second, which a busy machine may not manage the first time.
  it.concurrent(
    `catches a tenth of the broken receivers, one per requirement, with seed ${seed}`,
    { retry: 1 },
    async () => {
      const faults = receiverFaults.filter(({ isSlow }) => !isSlow);
      expect(faults.length).toBeGreaterThan(40);
      expect(await missedOf(tenthOf(faults), { ...receiver, atOnce: 8 })).toEqual([]);
    },
  );

  it.concurrent(`catches a tenth of the broken providers, one per check, with seed ${seed}`, async () => {
    const faults = [
      ...new Map(providerFaults.toReversed().map((one) => [one.check, one])).values(),
    ];
    expect(faults.length).toBe(providerChecks.length);
    expect(await missedOf(tenthOf(faults), { ...provider, atOnce: 8 })).toEqual([]);
  });

  it("reports an unexpected finding at a good receiver, and a missing expected one", async () => {
    const open = byHand({ wrongMethod: { status: 200 } });
    const findings = [{ requirement: "R-VERIFY-RAW", why: "it was so", bytes: ["GET /webhooks"] }];
    const checks = receiverChecks.filter((one) => one.requirements.includes("R-METHOD"));
    expect(await alarmsAt({ name: "x", findings, open }, { ...receiver, checks })).toEqual([
      expect.stringMatching(/^x: receiver\/\w+ fail R-METHOD: /),
      "x: R-VERIFY-RAW is listed as a finding, but was not found",
    ]);
  });

  it("reports a fault that its requirement does not catch", async () => {
    const [fault] = receiverFaults.map((one) => ({ ...one, open: byHand() }));
    expect(await missedOf(fault ? [fault] : [], receiver)).toEqual([
      expect.stringMatching(/^R-VERIFY-\w+ does not catch: /),
    ]);
  });

  it("has a broken target for each requirement that a check tests, each described once", () => {
    expect(unbroken(receiverChecks, receiverFaults)).toEqual([]);
    expect(unbroken(providerChecks, providerFaults)).toEqual([]);
    for (const faults of [receiverFaults, providerFaults])
      expect(new Set(faults.map(({ what }) => what)).size).toBe(faults.length);
  });

  it("lists the faults of libraries at the versions that are installed", () => {
    const installed = Object.entries(manifest.devDependencies).map((one) => one.join(" "));
    for (const { library } of libraryFaults) expect(installed).toContain(library);
  });
});
