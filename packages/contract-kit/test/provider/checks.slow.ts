import { postgresDriver } from "@countersign/service";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { postgresBinaries, sharedPostgres } from "../../../receiver/test/inboxes/servers.ts";
import { seed } from "../../../../test/seed.ts";
import { atEndOfFile } from "../../../../test/temporary-folder.ts";
import { requirements } from "../../src/check.ts";
import { providerChecks } from "../../src/checks.ts";
import { run } from "../../src/run.ts";
import type { ProviderTarget } from "../../src/target.ts";
import { openTarget, quick } from "./open-target.ts";
import { unseenByXSignature, xSignature } from "./other-profiles.ts";

// All share one sandbox: each scenario has its own merchant.
const atEnd = atEndOfFile();
let shared: ProviderTarget;
beforeAll(async () => {
  shared = await openTarget({ profile: quick, atEnd });
});

/** Runs ten scenarios of every check, and returns the requirements that do not pass. */
async function unmet(target: ProviderTarget): Promise<readonly string[]> {
  const options = { checks: providerChecks, requirements: requirements(), seed, runs: 10 };
  const { findings } = await run({ target, ...options });
  return findings
    .filter(({ status }) => status !== "pass")
    .map(({ requirement, status }) => `${status} ${requirement.id}`);
}

describe(`the sandbox, with seed ${seed},`, () => {
  it.each(providerChecks.map((check) => [check.id, check] as const))(
    "passes 100 scenarios of %s",
    async (_id, check) => {
      expect(await check.run(shared, { seed, runs: 100 })).toEqual(
        check.requirements.map((requirement) => ({ requirement, status: "pass" })),
      );
    },
  );

  it("passes every check that applies under x-signature", async () => {
    const unseen = Object.values(unseenByXSignature).flat();
    const target = await openTarget({ profile: xSignature });
    expect(await unmet(target)).toEqual(unseen.map((id) => `not_applicable ${id}`));
  });

  it("passes every check on PostgreSQL", async ({ skip }) => {
    skip(postgresBinaries === undefined, "PostgreSQL is not installed");
    const server = await sharedPostgres();
    onTestFinished(() => server.stop());
    const driver = postgresDriver({ url: server.urlOf(await server.create()) });
    expect(await unmet(await openTarget({ profile: quick, driver }))).toEqual([]);
  });
});
