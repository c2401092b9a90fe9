import { expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { NONE_SEEN } from "../../src/harness/effects.ts";
import { run } from "../../src/run.ts";
import { openReceiver } from "./open-receiver.ts";

it.each<readonly [string, () => Promise<unknown>, string]>([
  ["stay empty", () => Promise.resolve([]), NONE_SEEN],
  [
    "cannot be read",
    () => Promise.reject(new Error("status 404")),
    "the effects cannot be read: status 404",
  ],
])("a run whose effects %s exits with 2 and passes what answers show", async (_what, read, why) => {
  const { findings, exitCode } = await run({
    target: await openReceiver({ effects: { read }, effectsWaitMs: 20 }),
    checks: receiverChecks.filter(({ id }) => /genuine|duplicates|order|memory/.test(id)),
    requirements: requirements("receiver"),
    only: ["R-ACK-GENUINE", "R-ONCE-DUPLICATE", "R-ORDER-GUARD", "R-ONCE-RETRIES"],
  });
  expect(findings.map((one) => [one.requirement.id, one.status, one.message])).toEqual([
    ["R-ACK-GENUINE", "pass", ""],
    ["R-ONCE-DUPLICATE", "skipped", why],
    ["R-ORDER-GUARD", "skipped", why],
    ["R-ONCE-RETRIES", "skipped", why],
  ]);
  expect(exitCode).toBe(2);
});
