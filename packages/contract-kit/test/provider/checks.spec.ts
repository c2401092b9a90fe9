import { describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { broken } from "./faults.ts";
import { failureOf, verdictsOf } from "./verdicts-of.ts";

// More scenarios and more faults in the slow lane.
describe("a service that keeps its word", () => {
  it.each(providerChecks.map((check) => [check.id, check.requirements] as const))(
    "passes %s",
    async (check, requirements) => {
      expect(await verdictsOf({ check, seed: 1, runs: 4 })).toEqual(
        requirements.map((requirement) => ({ requirement, status: "pass" })),
      );
    },
  );
});

describe("a service that", () => {
  it.each(
    broken.filter(({ isQuick }) => isQuick).map((one) => [one.what, one.requirement, one] as const),
  )("%s fails %s", async (_what, requirement, { check, fault }) => {
    const verdicts = await verdictsOf({ check, fault: fault(), seed: 1, runs: 40 });
    expect(verdicts).toContainEqual(failureOf(requirement, 1));
  });
});

describe("the faults", () => {
  it("break every requirement that a check tests", () => {
    const tested = new Set(providerChecks.flatMap(({ requirements }) => requirements));
    const told = new Set(broken.map(({ requirement }) => requirement));
    expect([...tested].filter((id) => !told.has(id))).toEqual([]);
  });
});
