import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seed } from "../../../../test/seed.ts";
import { providerChecks } from "../../src/checks.ts";
import { type OpenedSandbox, openSandbox, quick } from "./open-sandbox.ts";

// All share one sandbox: each scenario has its own merchant.
let sandbox: OpenedSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ profile: quick });
});
afterAll(() => sandbox.close());

describe(`the sandbox, with seed ${seed},`, () => {
  it.each(providerChecks.map((check) => [check.id, check] as const))(
    "passes 100 scenarios of %s",
    async (_id, check) => {
      expect(await check.run(sandbox.target(), { seed, runs: 100 })).toEqual(
        check.requirements.map((requirement) => ({ requirement, status: "pass" })),
      );
    },
  );
});
