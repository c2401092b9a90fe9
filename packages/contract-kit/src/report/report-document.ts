import type { Evidence, Finding } from "../finding.ts";
import type { PactResult, PactRow } from "../pact/verify-pacts.ts";
import type { Report } from "../run.ts";

/** What a verification found, for people and programs: each format is written of this and of nothing else. */
export interface ReportDocument {
  readonly title: string;
  readonly entries: readonly ReportEntry[];
  /** What keeps it from saying anything, a line each. */
  readonly problems: readonly string[];
  /** 0: all MUSTs hold. 1: one does not. 2: it says nothing of the target. */
  readonly exitCode: 0 | 1 | 2;
}

export interface ReportEntry {
  /** The check, or the two sides of the pact. */
  readonly group: string;
  /** What was tested, unique in its group. */
  readonly name: string;
  /** Id of the requirement, where it names one. */
  readonly requirement: string | undefined;
  readonly level: "MUST" | "SHOULD";
  readonly status: Finding["status"];
  /** Empty where it passes. */
  readonly message: string;
  readonly evidence?: Evidence;
  readonly ms: number;
}

/** The report of a run of checks. */
export function reportOfRun(report: Report): ReportDocument {
  return {
    title: `${report.role} at ${report.url}, seed ${report.seed}`,
    entries: report.findings.map(({ check, requirement, status, message, evidence, ms }) => ({
      group: check,
      name: requirement.sentence,
      requirement: requirement.id,
      level: requirement.level,
      status,
      message,
      ...(evidence && { evidence }),
      ms,
    })),
    problems: [],
    exitCode: report.exitCode,
  };
}

export interface PactReportOptions {
  /** Whether a SHOULD that does not hold is a failure. Default: it is a warning. */
  readonly strict?: boolean;
  /** Interactions that were left out, with the reason. */
  readonly skipped?: readonly { readonly row: SkippedRow; readonly reason: string }[];
}

export type SkippedRow = Pick<
  PactRow,
  "consumer" | "provider" | "description" | "requirement" | "level"
>;

/** The report of a verification of pacts. */
export function reportOfPacts(
  result: PactResult,
  { strict = false, skipped = [] }: PactReportOptions = {},
): ReportDocument {
  const entries = result.rows.map((row): ReportEntry => {
    const isMild = row.level === "SHOULD" && !strict;
    const status = row.isOk ? "pass" : isMild ? "warn" : "fail";
    return { ...named(row), status, message: row.problems.join("\n"), ms: row.ms };
  });
  const left = skipped.map(({ row, reason }): ReportEntry => ({
    ...named(row),
    status: "skipped",
    message: reason,
    ms: 0,
  }));
  const hasFailed = entries.some(({ status }) => status === "fail");
  return {
    title: `pacts of ${result.provider}`,
    entries: [...entries, ...left],
    problems: result.problems,
    exitCode: result.problems.length > 0 ? 2 : hasFailed ? 1 : 0,
  };
}

function named({ consumer, provider, description, requirement, level }: SkippedRow) {
  return { group: `${consumer} → ${provider}`, name: description, requirement, level };
}
