import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver } from "../open-receiver.ts";
import { openService } from "../open-service.ts";
import {
  campaign,
  genuineOnes,
  isNoticed,
  type Judges,
  type Mutant,
  statefulJudges,
} from "./campaign.ts";
import { receiverMutants, serviceMutants } from "./mutants.ts";
import { ratesOf, ratesTable, survivorsOf } from "./rates.ts";
import { record, type Recorded } from "./recorded.ts";

const page = readFileSync(
  new URL("../../../packages/contract-kit/docs/mutation.md", import.meta.url),
  "utf8",
).replaceAll(/ +/g, " ");

async function expectDocumented(
  recorded: readonly Recorded[],
  mutants: readonly Mutant[],
  judges: Judges,
): Promise<void> {
  const noticed = (await campaign(genuineOnes(recorded), judges)).filter(isNoticed);
  expect(noticed.map(({ mutant }) => mutant.recorded.interaction.description)).toEqual([]);
  const verdicts = await campaign(mutants, judges);
  expect(ratesOf(verdicts).both).toBeGreaterThanOrEqual(95);
  // A row for each operator, a line for each kind of survivor.
  const survivors = Object.entries(survivorsOf(verdicts));
  const rows = survivors.map(([what, count]) => `| \`${what.trim()}\` | ${count} |`);
  expect([...ratesTable(verdicts), ...rows].filter((line) => !page.includes(line))).toEqual([]);
}

describe("pacts and schemas", () => {
  it("notice at least 95 % of all mutants of a service, as docs/mutation.md says", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service);
    await expectDocumented(recorded, serviceMutants(recorded), service);
  });

  it("notice at least 95 % of all mutants of a receiver, as docs/mutation.md says", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const recorded = await record(receiver);
    await expectDocumented(recorded, receiverMutants(recorded), statefulJudges(receiver));
  });
});
