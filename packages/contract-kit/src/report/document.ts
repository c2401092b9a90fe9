import { createRequire } from "node:module";
import { referencePage } from "@countersign/schemas";
import { type Finding, requirements, type Level, type Requirement, type Role } from "../check.ts";
import type { PactResult, PactRow } from "../pact/verify-pacts.ts";
import type { Report } from "../run.ts";
import { terminalJson } from "@countersign/rules";

/**
 * The result of a verification, for people and programs: each format is written of this and of nothing else.
 * Texts are as the target said them; each format escapes them by its own rules. As JSON it fits
 * `schemas/report.schema.json`.
 */
export interface ReportDocument {
  readonly title: string;
  readonly about: ReportAbout;
  readonly entries: readonly ReportEntry[];
  /** The role's requirements that nothing of this run tests. */
  readonly uncovered: readonly UncoveredRequirement[];
  /** Facts that a reader needs, a sentence each: a different clock, a missing control. */
  readonly notes: readonly string[];
  /** Reasons why it is invalid, a line each. */
  readonly problems: readonly string[];
  /** Ids of the baseline that pass now: remove them from it. Absent without a baseline. */
  readonly fixed?: readonly string[];
  /** 0: nothing new fails at a level of `about.failOn`. 1: something does. 2: the run is not conclusive. */
  readonly exitCode: 0 | 1 | 2;
}

/** The subject of a report, which identifies it and lets it be repeated. */
export interface ReportAbout {
  readonly role: Role;
  /** The target's URL, without a user's name, password, query or fragment. */
  readonly target: string;
  /** The name of the profile; of the provider, if the role is receiver or sender. */
  readonly profile: string;
  /** Version of the requirements that the run judged by; absent for pacts. */
  readonly requirements?: string;
  readonly seed: number;
  /** Levels whose failures fail the run. */
  readonly failOn: readonly Level[];
  /** When the run began, ISO 8601 in UTC. */
  readonly startedAt: string;
  /** Version of this kit. */
  readonly kit: string;
}

/** A finding, or the result of a pact's interaction. */
export interface ReportEntry extends Pick<Finding, "status" | "message" | "exchanges" | "ms"> {
  /** Stable identifier, used in baselines. */
  readonly id: string;
  /** The check, or the two sides of the pact. */
  readonly group: string;
  /** The tested sentence, unique in its group: of the requirement, or of the interaction. */
  readonly name: string;
  /** Id of the requirement, if there is one. */
  readonly requirement: string | undefined;
  /** The requirement's. Absent if a pact's interaction names none: its failure always fails the run. */
  readonly level?: Level;
  /** The requirement's source, its reason, and its fix. */
  readonly source?: string;
  readonly why?: string;
  readonly fix?: string;
  /** The page that explains the requirement. */
  readonly page?: string;
  /** True if the baseline has it: a known failure, which does not fail the run. */
  readonly isKnown: boolean;
  /** The command that meets the same failure again. */
  readonly replay?: string;
}

export interface UncoveredRequirement extends Pick<
  Requirement,
  "id" | "level" | "sentence" | "unchecked"
> {
  readonly page: string;
}

export interface RunReportOptions {
  /** The command that repeats a failure. Default: none. */
  readonly replay?: (check: string) => string;
  readonly notes?: readonly string[];
}

/** The report of a run of checks. */
export function reportOfRun(report: Report, options: RunReportOptions = {}): ReportDocument {
  const { role, url, findings, uncovered, isInterrupted, exitCode } = report;
  return {
    title: `${role} at ${withoutSecrets(url)}`,
    about: describeRun(report),
    entries: findings.map((finding) => entryOfFinding(finding, options)),
    uncovered: requirements().flatMap((one) => (uncovered.includes(one.id) ? untested(one) : [])),
    notes: options.notes ?? [],
    problems: isInterrupted ? ["the run was interrupted: this report is a part"] : [],
    exitCode,
  };
}

/** A finding as an entry of a report. */
export function entryOfFinding(
  { check, requirement, status, message, exchanges, ms }: Finding,
  { replay }: Pick<RunReportOptions, "replay">,
): ReportEntry {
  const isWrong = status === "fail" || status === "warn" || status === "error";
  return {
    id: `${check}#${requirement.id}`,
    group: check,
    name: requirement.sentence,
    ...explained(requirement),
    status,
    isKnown: false,
    message,
    ...(exchanges && { exchanges }),
    ...(isWrong && replay && { replay: replay(check) }),
    ms,
  };
}

export interface PactReportOptions {
  readonly about: AboutOptions;
  /** Interactions that were left out, with the reason. */
  readonly skipped?: readonly { readonly row: SkippedRow; readonly reason: string }[];
  readonly replay?: (row: SkippedRow) => string;
}

export type SkippedRow = Pick<PactRow, "consumer" | "provider" | "description" | "requirement">;

/** The report of a verification of pacts. */
export function reportOfPacts(
  { provider, rows, problems }: PactResult,
  { about, skipped = [], replay }: PactReportOptions,
): ReportDocument {
  const known = new Map(requirements().map((one) => [one.id, one]));
  const entryOf = (
    row: SkippedRow,
    result: Pick<ReportEntry, "message" | "ms"> & { readonly status: "pass" | "fail" | "skipped" },
  ): ReportEntry => {
    const group = `${row.consumer} → ${row.provider}`;
    const requirement = known.get(row.requirement ?? "");
    const isMild = requirement !== undefined && !about.failOn.includes(requirement.level);
    return {
      id: `${group}: ${row.description}`,
      group,
      name: row.description,
      ...(requirement ? explained(requirement) : { requirement: row.requirement }),
      ...result,
      ...(result.status === "fail" && isMild && { status: "warn" }),
      isKnown: false,
      ...(result.status === "fail" && replay && { replay: replay(row) }),
    };
  };
  const entries = [
    ...rows.map((row) => {
      const { isOk, problems: messages, ms } = row;
      return entryOf(row, { status: isOk ? "pass" : "fail", message: messages.join("\n"), ms });
    }),
    ...skipped.map(({ row, reason: message }) => {
      return entryOf(row, { status: "skipped", message, ms: 0 });
    }),
  ];
  const tested = new Set(entries.map(({ requirement }) => requirement));
  const hasFailed = entries.some(({ status }) => status === "fail");
  return {
    title: `pacts of ${provider} at ${withoutSecrets(about.url)}`,
    about: describeRun(about),
    entries,
    uncovered: requirements(about.role).flatMap((one) => (tested.has(one.id) ? [] : untested(one))),
    notes: [],
    problems,
    exitCode: problems.length > 0 ? 2 : hasFailed ? 1 : 0,
  };
}

function explained({ id, level, source, why, fix }: Requirement) {
  const page = referencePage("requirements", id);
  return { requirement: id, level, source, why, fix, page };
}

function untested({ id, level, sentence, unchecked }: Requirement): UncoveredRequirement {
  const page = referencePage("requirements", id);
  return { id, level, sentence, page, ...(unchecked !== undefined && { unchecked }) };
}

export type AboutOptions = Pick<
  Report,
  "role" | "url" | "profile" | "seed" | "failOn" | "startedAt"
> &
  Partial<Pick<Report, "version">>;

// The manifest is next to src/ and lib/.
const load = createRequire(import.meta.url);

function describeRun(options: AboutOptions): ReportAbout {
  const { role, url, profile, version, seed, failOn, startedAt } = options;
  // npm packs no package without a version.
  const { version: kit } = load("../../package.json") as { readonly version: string };
  return {
    role,
    target: withoutSecrets(url),
    profile: profile.name,
    ...(version !== undefined && { requirements: version }),
    seed,
    failOn,
    startedAt: new Date(startedAt).toISOString(),
    kit,
  };
}

/** An address without the parts that people put keys into. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search === "" ? "" : "?…"}`;
}

/** The report as JSON, the document as it is: `schemas/report.schema.json` describes it. */
export function jsonReport(document: ReportDocument): string {
  return `${terminalJson(document, 2)}\n`;
}
