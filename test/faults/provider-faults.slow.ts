import { expect, test } from "vitest";
import { seed } from "../seed.ts";
import { verdictOn, readFaults } from "./provider-faults.ts";

const faults = readFaults().filter(({ fails }) => fails !== undefined);
const fault = faults[seed % faults.length];

test("verify provider notices a fault in the service that the seed chooses", async () => {
  if (fault === undefined) throw new Error("no faults");
  expect(await verdictOn(fault), `${fault.id}: ${fault.breaks}`).toBe("noticed");
});
