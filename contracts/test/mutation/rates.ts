import { isNoticed, type Verdict } from "./campaign.ts";

/** Percent of mutants that were noticed, with one digit, rounded down. */
export function ratesOf(verdicts: readonly Verdict[]) {
  const share = (noticed: (verdict: Verdict) => boolean): number =>
    Math.floor((verdicts.filter(noticed).length / verdicts.length) * 1000) / 10;
  return {
    mutants: verdicts.length,
    pact: share(({ byPact }) => byPact),
    judges: share(({ byJudge }) => byJudge),
    both: share(isNoticed),
  };
}

/** Mutants that nobody noticed, by operator and place, with how many interactions have it. */
export function survivorsOf(verdicts: readonly Verdict[]): Readonly<Record<string, number>> {
  const left = verdicts.filter((one) => !isNoticed(one));
  const named = Map.groupBy(
    left,
    ({ mutant: { operator, place } }) => `${operator} ${place.replaceAll(/\/\d+/g, "/0")}`,
  );
  const counts = [...named].map(([name, those]) => [name, those.length] as const);
  return Object.fromEntries(counts.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** The rates of each operator and of all, as rows of a table in Markdown. */
export function ratesTable(verdicts: readonly Verdict[]): readonly string[] {
  const byOperator = Map.groupBy(verdicts, ({ mutant }) => mutant.operator);
  const rows = [...byOperator]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([operator, those]) => rowOf(`\`${operator}\``, ratesOf(those)));
  return [...rows, rowOf("all", ratesOf(verdicts))];
}

function rowOf(name: string, { mutants, pact, judges, both }: ReturnType<typeof ratesOf>): string {
  return `| ${[name, mutants, ...[pact, judges, both].map((rate) => rate.toFixed(1))].join(" | ")} |`;
}
