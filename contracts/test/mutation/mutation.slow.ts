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

/** Returns alarms at honest providers, a rate that is too low, and results that the page does not have. */
async function problemsOf(
  recorded: readonly Recorded[],
  mutants: readonly Mutant[],
  judges: Judges,
): Promise<readonly string[]> {
  const alarms = (await campaign(genuineOnes(recorded), judges)).filter(isNoticed);
  const verdicts = await campaign(mutants, judges);
  const { both } = ratesOf(verdicts);
  const survivors = Object.entries(survivorsOf(verdicts));
  const rows = survivors.map(([what, count]) => `| \`${what.trim()}\` | ${count} |`);
  return [
    ...alarms.map(({ mutant }) => mutant.recorded.interaction.description),
    ...(both < 95 ? [`${both} %`] : []),
    ...[...ratesTable(verdicts), ...rows].filter((line) => !page.includes(line)),
  ];
}

describe("pacts and schemas", () => {
  it("notice at least 95 % of all mutants of a service, as docs/mutation.md says", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service);
    // The service's judges need no state.
    const { enter: _, ...judges } = service;
    expect(await problemsOf(recorded, serviceMutants(recorded), judges)).toEqual([]);
  });

  it("notice at least 95 % of all mutants of a receiver, as docs/mutation.md says", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const recorded = await record(receiver);
    const judges = statefulJudges(receiver);
    expect(await problemsOf(recorded, receiverMutants(recorded), judges)).toEqual([]);
  });
});
