import type { Verdict } from "./campaign.ts";

export interface Rates {
  readonly mutants: number;
  /** Percent that were noticed, with one digit, rounded down. */
  readonly pact: number;
  readonly judges: number;
  readonly both: number;
}

export function ratesOf(verdicts: readonly Verdict[]): Rates {
  const share = (noticed: (verdict: Verdict) => boolean): number =>
    Math.floor((verdicts.filter(noticed).length / verdicts.length) * 1000) / 10;
  return {
    mutants: verdicts.length,
    pact: share(({ byPact }) => byPact),
    judges: share(({ byJudge }) => byJudge),
    both: share(({ byPact, byJudge }) => byPact || byJudge),
  };
}

/** Mutants that nobody noticed, by operator and place, with how many interactions have it. */
export function survivorsOf(verdicts: readonly Verdict[]): Readonly<Record<string, number>> {
  const left = verdicts.filter(({ byPact, byJudge }) => !byPact && !byJudge);
  const named = Map.groupBy(
    left,
    ({ mutant: { operator, place } }) => `${operator} ${place.replaceAll(/\/\d+/g, "/0")}`,
  );
  return Object.fromEntries(
    [...named].map(([name, those]) => [name, those.length] as const).toSorted(byName),
  );
}

function byName([one]: readonly [string, number], [other]: readonly [string, number]): number {
  return one < other ? -1 : 1;
}

/** The rates of each operator and of all, as rows of a table in Markdown. */
export function ratesTable(verdicts: readonly Verdict[]): readonly string[] {
  const byOperator = Map.groupBy(verdicts, ({ mutant }) => mutant.operator);
  const rows = [...byOperator]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([operator, those]) => rowOf(`\`${operator}\``, ratesOf(those)));
  return [...rows, rowOf("all", ratesOf(verdicts))];
}

function rowOf(name: string, { mutants, pact, judges, both }: Rates): string {
  return `| ${[name, mutants, ...[pact, judges, both].map((rate) => rate.toFixed(1))].join(" | ")} |`;
}
