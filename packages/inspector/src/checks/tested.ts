import type { CheckEntry, Checks, FindingStatus, OwedCheck } from "./shapes.ts";

/** A requirement with what its checks have found of it so far. */
export interface Tested {
  readonly requirement: string;
  readonly owed: readonly OwedCheck[];
  readonly entries: readonly CheckEntry[];
  /** The worst of what was found; `undefined` before anything was. */
  readonly status: FindingStatus | undefined;
}

const worstFirst: readonly FindingStatus[] = [
  "error",
  "fail",
  "warn",
  "pass",
  "not_applicable",
  "skipped",
];

/** The requirements in the order of the checks; where a run has found failures, those first. */
export function tested({ owed, run }: Pick<Checks, "owed" | "run">): Tested[] {
  const found = Map.groupBy(run?.entries ?? [], ({ requirement }) => requirement);
  const rows = [...Map.groupBy(owed, ({ requirement }) => requirement)].map(
    ([requirement, checks]): Tested => {
      const entries = found.get(requirement) ?? [];
      const status = worstFirst.find((one) => entries.some((entry) => entry.status === one));
      return { requirement, owed: checks, entries, status };
    },
  );
  const isBad = ({ status }: Tested): boolean =>
    status === "fail" || status === "error" || status === "warn";
  return [...rows.filter(isBad), ...rows.filter((row) => !isBad(row))];
}

/** How many findings there are of each status. */
export function counts(entries: readonly CheckEntry[]): [FindingStatus, number][] {
  return worstFirst.flatMap((status): [FindingStatus, number][] => {
    const { length } = entries.filter((entry) => entry.status === status);
    return length === 0 ? [] : [[status, length]];
  });
}
