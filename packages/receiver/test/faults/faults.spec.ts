import { describe, expect, it } from "vitest";
import * as flawed from "./flawed.ts";
import * as scenarios from "./scenarios.ts";
import { type MakeSubject, ours } from "./subject.ts";

/** Each classic fault with the scenario that shows it. */
const faults: readonly [string, scenarios.Scenario, MakeSubject][] = [
  [
    "acknowledges before it commits",
    scenarios.nothingIsAcknowledgedBeforeItIsHandled,
    flawed.acknowledgesBeforeCommit,
  ],
  [
    "acknowledges before it commits, and its handler fails",
    scenarios.aFailureIsTriedAgain,
    flawed.acknowledgesBeforeCommit,
  ],
  ["checks and then inserts", scenarios.oneOfManyHandles, flawed.checksThenInserts],
  ["loses an event after a failure", scenarios.aFailureIsTriedAgain, flawed.losesAfterFailure],
  ["takes stale signatures", scenarios.yesterdayIsRefused, flawed.takesStaleSignatures],
  ["verifies a body that it printed", scenarios.bytesAreWhatIsSigned, flawed.verifiesWhatItPrints],
  ["assumes an order", scenarios.anOlderEventChangesNothing, flawed.assumesOrder],
  ["logs secrets", scenarios.logsAreClean, flawed.logsSecrets],
  ["keeps no record of events", scenarios.aDuplicateRunsNothing, flawed.keepsNoRecord],
  [
    "has its effect before it claims",
    scenarios.aDuplicateRunsNothing,
    flawed.handlesBeforeItClaims,
  ],
  ["ignores its fence", scenarios.aLostClaimSettlesNothing, flawed.ignoresItsFence],
];

describe.each(faults)("a receiver that %s", (_fault, scenario, make) => {
  it("is caught by its scenario", async () => {
    expect(await scenario(make)).toBe(false);
  });

  it("is not ours", async () => {
    expect(await scenario(ours)).toBe(true);
  });
});

describe("the scenarios", () => {
  it("are all told", () => {
    const told = new Set(faults.map(([, scenario]) => scenario));
    expect(told).toEqual(new Set(Object.values(scenarios)));
  });

  it("catch every flawed receiver", () => {
    const caught = new Set(faults.map(([, , make]) => make));
    expect(caught).toEqual(new Set(Object.values(flawed)));
  });
});
