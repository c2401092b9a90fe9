import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { openSandbox, quick, type OpenedSandbox } from "./open-target.ts";
import { verdictsOf } from "./verdicts-of.ts";
import { seed } from "../../../../test/seed.ts";

// One for all: each scenario has a merchant of its own.
let sandbox: OpenedSandbox;
beforeAll(async () => {
  sandbox = await openSandbox(quick);
});
afterAll(() => sandbox.close());

// Another one each time; a failure says which.
describe(`a service that keeps its word, with the seed ${String(seed)},`, () => {
  it.each(providerChecks.map((check) => [check.id, check.requirements] as const))(
    "passes %s",
    async (check, requirements) => {
      expect(await verdictsOf(sandbox, { check, seed, runs: 100 })).toEqual(
        requirements.map((requirement) => ({ requirement, status: "pass" })),
      );
    },
  );
});
