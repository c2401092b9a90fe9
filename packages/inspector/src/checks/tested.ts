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

/** The requirements in the order in which their checks run, which no finding changes: rows stay in place. */
export function tested({ owed, run }: Pick<Checks, "owed" | "run">): Tested[] {
  const found = Map.groupBy(run?.entries ?? [], ({ requirement }) => requirement);
  return [...Map.groupBy(owed, ({ requirement }) => requirement)].map(([requirement, checks]) => {
    const entries = found.get(requirement) ?? [];
    const status = worstFirst.find((one) => entries.some((entry) => entry.status === one));
    return { requirement, owed: checks, entries, status };
  });
}

/** How many requirements there are of each status. */
export function counts(rows: readonly Tested[]): [FindingStatus, number][] {
  return worstFirst.flatMap((status): [FindingStatus, number][] => {
    const { length } = rows.filter((row) => row.status === status);
    return length === 0 ? [] : [[status, length]];
  });
}
