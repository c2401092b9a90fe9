import { expect, it } from "vitest";
import { requirements } from "../../src/check.ts";
import { receiverChecks } from "../../src/checks.ts";
import { run } from "../../src/run.ts";
import { openReceiver } from "./open-receiver.ts";

it("our own receiver passes the checks of its deadlines", async () => {
  const { findings } = await run({
    target: await openReceiver({ slow: true }),
    checks: receiverChecks,
    requirements: requirements("receiver"),
    only: ["R-BODY-SLOW", "R-ACK-HANGING"],
  });
  expect(findings.map(({ requirement, status }) => `${requirement.id} ${status}`)).toEqual([
    "R-BODY-SLOW pass",
    "R-ACK-HANGING pass",
  ]);
});
