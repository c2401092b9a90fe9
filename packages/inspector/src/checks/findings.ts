/** The checks of a receiver, in the words of the kit's report. */

export type FindingStatus = "pass" | "fail" | "warn" | "not_applicable" | "error" | "skipped";

/** One requirement that one check tests. */
export interface PlannedCheck {
  readonly id: string;
  /** The check. */
  readonly group: string;
  /** The check's description. */
  readonly title: string;
  readonly requirement: string;
  readonly level: string;
  /** The requirement's sentence. */
  readonly name: string;
  readonly source: string;
  readonly why: string;
}

/** A finding. */
export interface CheckEntry {
  readonly id: string;
  readonly group: string;
  readonly requirement?: string;
  readonly status: FindingStatus;
  readonly message: string;
  readonly fix?: string;
  /** Page of the requirement: an address, or a path in the kit's repository. */
  readonly page?: string;
  readonly exchanges?: readonly { readonly sent: string; readonly received: string }[];
  readonly replay?: string;
  readonly ms: number;
}

export interface CheckReport {
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  readonly exitCode: 0 | 1 | 2;
}

export interface CheckRun {
  readonly isRunning: boolean;
  readonly progress: {
    readonly check: string;
    readonly title: string;
    readonly place: number;
    readonly total: number;
  } | null;
  readonly entries: readonly CheckEntry[];
  readonly report: CheckReport | null;
  readonly problem: string | null;
}

export interface Checks {
  /** In the order in which they run. */
  readonly planned: readonly PlannedCheck[];
  readonly run: CheckRun | null;
}
/** A requirement with its findings so far. */
export interface Tested {
  readonly requirement: string;
  readonly planned: readonly PlannedCheck[];
  readonly entries: readonly CheckEntry[];
  /** The worst finding; `undefined` before the first. */
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
export function tested({ planned, run }: Pick<Checks, "planned" | "run">): Tested[] {
  const found = Map.groupBy(run?.entries ?? [], ({ requirement }) => requirement);
  return [...Map.groupBy(planned, ({ requirement }) => requirement)].map(
    ([requirement, checks]) => {
      const entries = found.get(requirement) ?? [];
      const status = worstFirst.find((one) => entries.some((entry) => entry.status === one));
      return { requirement, planned: checks, entries, status };
    },
  );
}

/** Number of requirements by status. */
export function counts(rows: readonly Tested[]): [FindingStatus, number][] {
  return worstFirst.flatMap((status): [FindingStatus, number][] => {
    const { length } = rows.filter((row) => row.status === status);
    return length === 0 ? [] : [[status, length]];
  });
}
