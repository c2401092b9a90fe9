import { createRequire } from "node:module";
import { referencePage } from "@countersign/schemas";
import {
  type Evidence,
  type Finding,
  applies,
  requirements,
  type Level,
  type Requirement,
  type Role,
} from "../check.ts";
import type { PactResult, PactRow } from "../pact/verify-pacts.ts";
import type { Report } from "../run.ts";
import { json } from "./escape.ts";

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
  /** The known failures, if a baseline was given. */
  readonly baseline?: BaselineNews;
  /** 0: nothing new fails at a level of `about.failOn`. 1: something does. 2: the run is not conclusive. */
  readonly exitCode: 0 | 1 | 2;
}

/** The failures of a baseline in a run. */
export interface BaselineNews {
  /** Ids that still fail. */
  readonly known: readonly string[];
  /** Ids that pass now: remove them from the baseline. */
  readonly mended: readonly string[];
  /** Ids that this run does not judge: skipped, not applicable, or of no check. */
  readonly unjudged: readonly string[];
}

export interface ReportEntry {
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
  readonly status: Finding["status"];
  /** True if the baseline has it: a known failure, which does not fail the run. */
  readonly isKnown: boolean;
  /** Empty if it passes. */
  readonly message: string;
  /** The requirement's source, its reason, and its fix. */
  readonly source?: string;
  readonly why?: string;
  readonly fix?: string;
  /** The page that explains the requirement. */
  readonly page?: string;
  readonly evidence?: Evidence;
  /** The command that meets the same failure again. */
  readonly replay?: string;
  /** Milliseconds of the interaction, or the requirement's even share of the check's, so that sums are true. */
  readonly ms: number;
}

export interface UncoveredRequirement {
  readonly id: string;
  readonly level: Level;
  readonly sentence: string;
  readonly page: string;
  /** The reason why no check tests it; absent if a check does that was left out of this run. */
  readonly unchecked?: string;
}

export interface RunReportOptions {
  /** The command that repeats a failure. Default: none. */
  readonly replay?: (
    check: string,
    at: { readonly seed: number; readonly path?: string },
  ) => string;
  readonly notes?: readonly string[];
}

/** The report of a run of checks. */
export function reportOfRun(report: Report, options: RunReportOptions = {}): ReportDocument {
  const replay = options.replay;
  return {
    title: `${report.role} at ${withoutSecrets(report.url)}`,
    about: reportAbout(report),
    entries: report.findings.map((finding) => {
      const sharers = report.findings.filter(({ check }) => check === finding.check).length;
      const entry = entryOfFinding(finding, { seed: report.seed, ...(replay && { replay }) });
      return { ...entry, ms: Math.round((entry.ms / sharers) * 1000) / 1000 };
    }),
    uncovered: uncoveredOf(report.uncovered),
    notes: [...(options.notes ?? []), ...inapplicable(report)],
    problems: report.isInterrupted ? ["the run was interrupted: this report is a part"] : [],
    exitCode: report.exitCode,
  };
}

/** Says once how many requirements of a service a profile without payments leaves out. */
function inapplicable({ role, profile }: Report): readonly string[] {
  if (role === "receiver") return [];
  const { length } = requirements(role).filter((one) => !applies(one, profile));
  const words = `${length} requirements need payments and are not applicable`;
  return length === 0 ? [] : [`${words}: the profile ${profile.name} has no payments.`];
}

/** A finding as an entry of a report. */
export function entryOfFinding(
  { check, requirement, status, message, evidence, ms }: Finding,
  { seed, replay }: Pick<RunReportOptions, "replay"> & { readonly seed: number },
): ReportEntry {
  const isWrong = status === "fail" || status === "warn" || status === "error";
  const again = isWrong ? replay?.(check, evidence?.replay ?? { seed }) : undefined;
  return {
    id: `${check}#${requirement.id}`,
    group: check,
    name: requirement.sentence,
    ...explained(requirement),
    status,
    isKnown: false,
    message,
    ...(evidence && { evidence }),
    ...(again !== undefined && { replay: again }),
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
  result: PactResult,
  { about, skipped = [], replay }: PactReportOptions,
): ReportDocument {
  const known = new Map(requirements().map((one) => [one.id, one]));
  const entryOf = (
    row: SkippedRow,
    said: Pick<ReportEntry, "status" | "message" | "ms">,
  ): ReportEntry => {
    const { consumer, provider, description: name, requirement: id } = row;
    const requirement = known.get(id ?? "");
    const group = `${consumer} → ${provider}`;
    const own = requirement ? explained(requirement) : { requirement: id };
    return { id: `${group}: ${name}`, group, name, ...own, isKnown: false, ...said };
  };
  const verified = result.rows.map((row): ReportEntry => {
    const { ms, isOk, problems } = row;
    const { level } = known.get(row.requirement ?? "") ?? {};
    const failure = level === undefined || about.failOn.includes(level) ? "fail" : "warn";
    const entry = entryOf(row, {
      status: isOk ? "pass" : failure,
      message: problems.join("\n"),
      ms,
    });
    return isOk || replay === undefined ? entry : { ...entry, replay: replay(row) };
  });
  const left = skipped.map(({ row, reason }) =>
    entryOf(row, { status: "skipped", message: reason, ms: 0 }),
  );
  const entries = [...verified, ...left];
  const hasFailed = entries.some(({ status }) => status === "fail");
  const told = new Set(entries.map(({ requirement }) => requirement));
  return {
    title: `pacts of ${result.provider} at ${withoutSecrets(about.url)}`,
    about: reportAbout(about),
    entries,
    uncovered: uncoveredOf(
      requirements(about.role).flatMap(({ id }) => (told.has(id) ? [] : [id])),
    ),
    notes: [],
    problems: result.problems,
    exitCode: result.problems.length > 0 ? 2 : hasFailed ? 1 : 0,
  };
}

function explained({ id, level, source, why, fix }: Requirement) {
  const page = referencePage("requirements", id);
  return { requirement: id, level, source, why, fix, page };
}

function uncoveredOf(ids: readonly string[]): readonly UncoveredRequirement[] {
  return requirements()
    .filter(({ id }) => ids.includes(id))
    .map(({ id, level, sentence, unchecked }) => ({
      id,
      level,
      sentence,
      page: referencePage("requirements", id),
      ...(unchecked !== undefined && { unchecked }),
    }));
}

/** The subject of a report, which identifies it and lets it be repeated. */
export interface ReportAbout {
  readonly role: Role;
  /** The target's URL, without a user's name, password, query or fragment. */
  readonly target: string;
  /** The profile's name. */
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

export type AboutOptions = Pick<
  Report,
  "role" | "url" | "profile" | "seed" | "failOn" | "startedAt"
> &
  Partial<Pick<Report, "version">>;

// The manifest is next to src/ and dist/.
const load = createRequire(import.meta.url);

export function reportAbout(options: AboutOptions): ReportAbout {
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
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search === "" ? "" : "?…"}`;
}

/** The report as JSON, the document as it is: `schemas/report.schema.json` describes it. */
export function jsonReport(document: ReportDocument): string {
  return `${json(document)}\n`;
}
