import { isNoticed, type Verdict } from "./campaign.ts";

/** Percents of mutants that were noticed, with one digit, rounded down. */
export function ratesOf(verdicts: readonly Verdict[]) {
  const share = (noticed: (verdict: Verdict) => boolean): number =>
    Math.floor((verdicts.filter(noticed).length / verdicts.length) * 1000) / 10;
  return {
    percentByPact: share(({ byPact }) => byPact),
    percentByJudges: share(({ byJudge }) => byJudge),
    percent: share(isNoticed),
  };
}

/** Undetected mutants by operator and place, one line for each interaction. */
export function survivorsOf(verdicts: readonly Verdict[]): readonly string[] {
  return verdicts
    .filter((one) => !isNoticed(one))
    .map(({ mutant: { operator, place, recorded } }) => {
      const where = `${operator} ${place.replaceAll(/\/\d+/g, "/0")}`;
      return `contracts/pacts: ${where} → ${recorded.interaction.description}`;
    })
    .toSorted();
}
