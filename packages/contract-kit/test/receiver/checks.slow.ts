import { expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { run } from "../../src/run.ts";
import { flaky, openReceiver, type OpenOptions } from "./open-receiver.ts";

async function statuses(options: OpenOptions, only: readonly string[]): Promise<string[]> {
  const { findings } = await run({
    target: await openReceiver(options),
    checks: receiverChecks,
    requirements: requirements("receiver"),
    only,
  });
  return findings.map(({ requirement, status }) => `${requirement.id} ${status}`);
}

it("our own receiver passes the checks of its deadlines", async () => {
  expect(await statuses({ slow: true }, ["R-BODY-SLOW", "R-ACK-HANGING"])).toEqual([
    "R-BODY-SLOW pass",
    "R-ACK-HANGING pass",
  ]);
});

it("a correct receiver raises no alarm if each 40th attempt is answered 503 or reset", async () => {
  const names = ["genuine", "forged", "duplicates", "order"].map((name) => `receiver/${name}`);
  const all = await statuses({ fault: flaky(), order: "per-resource" }, names);
  expect(all.length).toBeGreaterThan(names.length);
  expect(all.filter((one) => !one.endsWith(" pass"))).toEqual([]);
}, 60_000);
