import { describe, expect, it, onTestFinished } from "vitest";
import { runRounds } from "../../../test/rounds.ts";
import { openReceiver, openService } from "../open-provider.ts";
import {
  campaign,
  genuineOnes,
  isNoticed,
  type Judges,
  type Mutant,
  record,
  type Recorded,
  statefulJudges,
  type Verdict,
} from "./campaign.ts";
import { receiverMutants, serviceMutants } from "./mutants.ts";

/** Shows every mutant of recorded answers and attempts to Pact and to the judges, and the genuine ones too. */
async function noticedBy(
  judges: Judges,
  recorded: readonly Recorded[],
  mutants: readonly Mutant[],
) {
  const alarms = (await campaign(genuineOnes(recorded), judges)).filter(isNoticed);
  const verdicts = await campaign(mutants, judges);
  return {
    done: mutants.length,
    result: {
      ...ratesOf(verdicts),
      falseAlarms: alarms.map(({ mutant }) => mutant.recorded.interaction.description),
      survivors: survivorsOf(verdicts),
    },
  };
}

const of = (role: string, goal: number) => ({
  campaign: `mutation-pacts-${role}`,
  goal,
  unit: `changed answers and attempts of a ${role}`,
});

describe("pacts and schemas", () => {
  it("notice at least 95 % of all mutants of a service", async () => {
    const service = await openService();
    onTestFinished(() => service.close());
    const recorded = await record(service);
    // The service's judges need no state.
    const { enter: _, ...judges } = service;
    const mutants = serviceMutants(recorded);
    const result = await runRounds({
      ...of("service", mutants.length),
      round: () => noticedBy(judges, recorded, mutants),
    });
    expect(result.falseAlarms).toEqual([]);
    expect(result.percent).toBeGreaterThanOrEqual(95);
  });

  it("notice at least 95 % of all mutants of a receiver", async () => {
    const receiver = await openReceiver();
    onTestFinished(() => receiver.close());
    const recorded = await record(receiver);
    const mutants = receiverMutants(recorded);
    const result = await runRounds({
      ...of("receiver", mutants.length),
      round: () => noticedBy(statefulJudges(receiver), recorded, mutants),
    });
    expect(result.falseAlarms).toEqual([]);
    expect(result.percent).toBeGreaterThanOrEqual(95);
  });
});

/** Percents of mutants that were noticed, with one digit, rounded down. */
function ratesOf(verdicts: readonly Verdict[]) {
  const share = (noticed: (verdict: Verdict) => boolean): number =>
    Math.floor((verdicts.filter(noticed).length / verdicts.length) * 1000) / 10;
  return {
    percentByPact: share(({ byPact }) => byPact),
    percentByJudges: share(({ byJudge }) => byJudge),
    percent: share(isNoticed),
  };
}

/** Undetected mutants by operator and place, one line for each interaction. */
function survivorsOf(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts
    .filter((one) => !isNoticed(one))
    .map(({ mutant: { operator, place, recorded } }) => {
      const where = `${operator} ${place.replaceAll(/\/\d+/g, "/0")}`;
      return `contracts/pacts: ${where} → ${recorded.interaction.description}`;
    })
    .toSorted();
}
