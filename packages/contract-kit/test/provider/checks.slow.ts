import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seed } from "../../../../test/seed.ts";
import { requirements } from "../../src/check.ts";
import { providerChecks } from "../../src/checks.ts";
import { run } from "../../src/run.ts";
import { type OpenedSandbox, openSandbox, quick } from "./open-sandbox.ts";
import { openTarget } from "./open-target.ts";
import { unseenByXSignature, withoutPayments, xSignature } from "./other-profiles.ts";

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

  it.each([
    ["x-signature", xSignature, Object.values(unseenByXSignature).flat()],
    ["no payments", withoutPayments(), []],
  ] as const)("passes every check that applies under %s", async (_name, profile, unseen) => {
    const { target } = await openTarget(undefined, profile);
    const checks = providerChecks;
    const { findings } = await run({
      target,
      checks,
      requirements: requirements(),
      seed,
      runs: 10,
    });
    const others = findings.filter(({ status }) => status !== "pass");
    expect(others.map(({ requirement, status }) => `${status} ${requirement.id}`)).toEqual(
      unseen.map((id) => `not_applicable ${id}`),
    );
  });
});
