import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openReceiver } from "../open-receiver.ts";
import { openService } from "../open-service.ts";
import { campaign, genuineOnes } from "./campaign.ts";
import { ratesOf, ratesTable, survivorsOf } from "./rates.ts";
import { receiverJudges, receiverMutants } from "./receiver-mutants.ts";
import { record } from "./recorded.ts";
import { SECRET_KEY, serviceMutants } from "./service-mutants.ts";

const pacts = fileURLToPath(new URL("../../pacts", import.meta.url));
const page = readFileSync(
  fileURLToPath(new URL("../../../packages/contract-kit/docs/mutation.md", import.meta.url)),
  "utf8",
).replaceAll(/ +/g, " ");

/** What the page must have: a row for each operator, a line for each kind of survivor. */
function told(verdicts: Parameters<typeof ratesTable>[0]): readonly string[] {
  const survivors = Object.entries(survivorsOf(verdicts));
  return [
    ...ratesTable(verdicts),
    ...survivors.map(([what, count]) => `| \`${what.trim()}\` | ${count} |`),
  ];
}

describe("a mutation of every interaction", () => {
  it("is noticed at a service in at least 95 % of the cases, as docs/mutation.md says", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service, pacts);
    const kept = await campaign(genuineOnes(recorded), service);
    const noticed = kept.filter(({ byPact, byJudge }) => byPact || byJudge);
    // What the controls answer in the service's place has a code of theirs.
    expect(noticed.map(({ mutant }) => mutant.recorded.interaction.description)).toEqual([]);
    const verdicts = await campaign(serviceMutants(recorded, SECRET_KEY), service);
    expect(ratesOf(verdicts).both).toBeGreaterThanOrEqual(95);
    expect(told(verdicts).filter((line) => !page.includes(line))).toEqual([]);
  });

  it("is noticed at a receiver in at least 95 % of the cases, as docs/mutation.md says", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const judges = receiverJudges(receiver);
    const recorded = await record(receiver, pacts);
    const kept = await campaign(genuineOnes(recorded), judges);
    expect(kept.filter(({ byPact, byJudge }) => byPact || byJudge)).toEqual([]);
    const verdicts = await campaign(receiverMutants(recorded), judges);
    expect(ratesOf(verdicts).both).toBeGreaterThanOrEqual(95);
    expect(told(verdicts).filter((line) => !page.includes(line))).toEqual([]);
  });
});
