import { levels, receiverChecks, requirements, run } from "@countersign/contract-kit";
import { describe, expect, it } from "vitest";
import { seed } from "../seed.ts";
import { type Good, goodReceivers } from "./receivers.ts";
import { libraryFaults } from "./stock.ts";
import manifest from "../package.json" with { type: "json" };

/** Unexpected findings at a good receiver, and missing expected ones. */
async function alarmsAt(
  { findings: known = [], isStock = false, open }: Good,
  { slow = false, only }: { readonly slow?: boolean; readonly only?: readonly string[] } = {},
): Promise<readonly string[]> {
  const { target, close } = await open();
  const { findings } = await run({
    target: { ...target, slow },
    checks: receiverChecks,
    requirements: requirements(),
    seed,
    failOn: levels,
    ...(only && { only }),
  });
  await close();
  const found = findings.filter(({ status }) => status === "fail" || status === "error");
  const alarms = found.filter(({ status, requirement: { id, level } }) => {
    const isExpected = isStock
      ? ["interoperability", "hygiene"].includes(level)
      : known.includes(id);
    return status === "error" || !isExpected;
  });
  const expected = known.filter((id) => only?.includes(id) ?? true);
  const unseen = expected.filter((id) => !found.some(({ requirement }) => requirement.id === id));
  return [
    ...alarms.map((one) => `${one.check} ${one.status} ${one.requirement.id}: ${one.message}`),
    ...unseen.map((id) => `${id} is listed as a finding, but was not found`),
  ];
}

describe.each(goodReceivers)("a good receiver, $name", ({ missing, ...good }) => {
  it(`raises no alarm, with seed ${seed}`, async ({ skip }) => {
    const reason = missing?.();
    if (reason !== undefined) skip(reason);
    expect(await alarmsAt(good)).toEqual([]);
  });

  it.runIf(good.isStock !== true)(
    "raises no alarm in the checks that wait for its deadlines",
    async () => {
      const only = ["R-BODY-SLOW", "R-ACK-HANGING"];
      expect(await alarmsAt(good, { only, slow: true })).toEqual([]);
    },
  );
});

it("the faults of libraries are listed at the versions that are installed", () => {
  const installed = Object.entries(manifest.devDependencies).map((one) => one.join(" "));
  expect(installed).toEqual(expect.arrayContaining(Object.keys(libraryFaults)));
});
