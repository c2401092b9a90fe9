import { describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { broken } from "./faults.ts";
import { failureOf, verdictsOf } from "./verdicts-of.ts";

// Another one each time; a failure says which.
const seed = Math.trunc(Math.random() * 2 ** 31);
describe(`a service that keeps its word, with the seed ${String(seed)},`, () => {
  it.each(providerChecks.map((check) => [check.id, check.requirements] as const))(
    "passes %s",
    async (check, requirements) => {
      expect(await verdictsOf({ check, seed, runs: 100 })).toEqual(
        requirements.map((requirement) => ({ requirement, status: "pass" })),
      );
    },
  );
});

describe("a service that", () => {
  it.each(broken.map((one) => [one.what, one.requirement, one] as const))(
    "%s fails %s",
    async (_what, requirement, { check, fault }) => {
      const verdicts = await verdictsOf({ check, fault: fault(), seed: 1, runs: 60 });
      expect(verdicts).toContainEqual(failureOf(requirement, 1));
    },
  );
});
