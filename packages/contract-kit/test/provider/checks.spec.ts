import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providerChecks } from "../../src/checks.ts";
import { openSandbox, quick, type OpenedSandbox } from "./open-target.ts";
import { verdictsOf } from "./verdicts-of.ts";

// One for all: each scenario has a merchant of its own.
let sandbox: OpenedSandbox;
beforeAll(async () => {
  sandbox = await openSandbox(quick);
});
afterAll(() => sandbox.close());

// More scenarios in the slow lane; the broken services are in test/matrix/providers/.
describe("a service that keeps its word", () => {
  it.each(providerChecks.map((check) => [check.id, check.requirements] as const))(
    "passes %s",
    async (check, requirements) => {
      expect(await verdictsOf(sandbox, { check, seed: 1, runs: 2 })).toEqual(
        requirements.map((requirement) => ({ requirement, status: "pass" })),
      );
    },
  );
});
