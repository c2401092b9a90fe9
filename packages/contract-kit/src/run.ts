import type { Profile } from "@countersign/schemas";
import { messageOf } from "./values.ts";
import {
  type CheckContext,
  type CheckOf,
  type Finding,
  type Verdict,
  concerns,
  defaultFailOn,
  requirementVersions,
  type Level,
  type Requirement,
} from "./check.ts";
import type { Target } from "./target.ts";

export interface RunOptions<T extends Target> {
  readonly target: T;
  readonly checks: readonly CheckOf<T>[];
  /** Requirements that checks may name; those of the target's role without a finding are reported as uncovered. */
  readonly requirements: readonly Requirement[];
  /** The version to judge by, one of `requirementVersions()`: newer requirements are left out. Default: the newest. */
  readonly version?: string;
  /** Ids of checks or requirements: only these run, or are judged. Default: all. */
  readonly only?: readonly string[];
  /** Reasons by the id of a check or a requirement. */
  readonly skip?: Readonly<Record<string, string>>;
  /** Levels whose failures fail the run; others are warnings. Default: `defaultFailOn`. */
  readonly failOn?: readonly Level[];
  /** Default 1. */
  readonly seed?: number;
  /** Scenarios of a generated check. Default 50. */
  readonly runs?: number;
  /** Milliseconds of a clock that only goes forward. Default: this machine's. */
  readonly now?: () => number;
  /** The time of day in milliseconds since the epoch, for the report. Default: this machine's. */
  readonly clock?: () => number;
  /** Ends the run at once when aborted: requirements without a finding are skipped, and the report says so. */
  readonly signal?: AbortSignal;
  /** Sees each check before it runs. `place` counts from 1. */
  readonly onCheck?: (check: CheckOf<T>, place: number, total: number) => void;
  /** Called with each finding when it is made. */
  readonly onFinding?: (finding: Finding) => void;
}

export interface Report {
  readonly role: Target["role"];
  readonly url: string;
  /** The name of the profile, or of the provider whose attempts were sent. */
  readonly profile: Pick<Profile, "name">;
  /** The version of the requirements that it was judged by. */
  readonly version: string;
  readonly seed: number;
  readonly failOn: readonly Level[];
  /** When the run began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** True if it was ended before its last check. */
  readonly isInterrupted: boolean;
  readonly findings: readonly Finding[];
  /** Ids of the role's requirements that apply and have no finding: no check of this run tests them. */
  readonly uncovered: readonly string[];
  /** 0: nothing fails at a level of `failOn`. 1: something does, also in a run that was interrupted. 2: otherwise, a check broke or was left out, all were skipped, or the run was interrupted. */
  readonly exitCode: 0 | 1 | 2;
}

/**
 * Verifies a target: requirements → checks → target → findings → report. One check runs at a time, so
 * that what it sends is what the target sees.
 *
 * @throws {TypeError} A check names an unknown requirement: a programming error.
 */
export async function run<T extends Target>(options: RunOptions<T>): Promise<Report> {
  const { target, seed = 1, runs = 50, skip = {}, signal, failOn = defaultFailOn } = options;
  const { now = () => performance.now(), clock = Date.now } = options;
  const startedAt = clock();
  const [newest = ""] = requirementVersions(options.requirements);
  const { version = newest } = options;
  const context = { seed, runs, isWhole: options.only === undefined, ...(signal && { signal }) };
  const findings: Finding[] = [];
  // A requirement that a check had to leave out may be broken: the target is not judged.
  let isIncomplete = false;
  const selection = selectChecks(options, version);
  for (const [index, { check, selected }] of selection.entries()) {
    const started = now();
    const isIdle = selected.every(({ id }) => skip[id] !== undefined);
    let result: readonly Verdict[] | Result;
    if (signal?.aborted === true) result = INTERRUPTED;
    else if (skip[check.id] !== undefined || isIdle) result = skipped(skip[check.id] ?? "");
    else {
      options.onCheck?.(check, index + 1, selection.length);
      const asked = { ...context, selected: selected.map(({ id }) => id) };
      result = await Promise.race([runCheck(check, target, asked), interrupted(signal)]);
    }
    // An even share, so that sums are true.
    const ms = Math.round(((now() - started) / selected.length) * 1000) / 1000;
    for (const requirement of selected) {
      const reason = skip[requirement.id];
      const own = reason === undefined ? resultFor(result, requirement, failOn) : skipped(reason);
      const finding = { check: check.id, requirement, ms, ...own };
      findings.push(finding);
      isIncomplete ||= Array.isArray(result) && reason === undefined && own.status === "skipped";
      options.onFinding?.(finding);
    }
  }
  const tested = new Set(findings.map(({ requirement }) => requirement.id));
  const isInterrupted = signal?.aborted === true;
  return {
    role: target.role,
    url: target.url,
    // A provider's document takes the place of a profile.
    profile: { name: target.role === "provider" ? target.profile.name : target.provider.name },
    version,
    seed,
    failOn,
    startedAt,
    isInterrupted,
    findings,
    uncovered: options.requirements
      .filter((one) => concerns(one, target.role) && one.since <= version)
      .flatMap(({ id }) => (tested.has(id) ? [] : id)),
    exitCode: exitCodeFor(findings, isIncomplete || isInterrupted),
  };
}

/** Returns each check with the requirements that the run judges. */
function selectChecks<T extends Target>(
  { checks, requirements, only }: RunOptions<T>,
  version: string,
): readonly { readonly check: CheckOf<T>; readonly selected: readonly Requirement[] }[] {
  const known = new Map(requirements.map((one) => [one.id, one]));
  const selection = checks.map((check) => ({
    check,
    selected: check.requirements
      .map((id) => {
        const requirement = known.get(id);
        if (requirement !== undefined) return requirement;
        throw new TypeError(`${check.id} names ${id}, which is not a requirement`);
      })
      .filter(({ id, since }) => {
        const isWanted = only === undefined || only.includes(check.id) || only.includes(id);
        return isWanted && since <= version;
      }),
  }));
  return selection.filter(({ selected }) => selected.length > 0);
}

type Result = Pick<Finding, "status" | "message" | "exchanges">;

const skipped = (message: string): Result => ({ status: "skipped", message });
const INTERRUPTED = skipped("the run was interrupted");

/** Resolves when a run is interrupted. */
export function interrupted(signal: AbortSignal | undefined): Promise<Result> {
  return new Promise((resolve) => {
    // Later than a check that reports what it has seen until then.
    const stop = (): void => void setImmediate(resolve, INTERRUPTED);
    if (signal?.aborted === true) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A check's verdicts, or one result for all its requirements because it broke. */
async function runCheck<T extends Target>(
  check: CheckOf<T>,
  target: T,
  context: CheckContext,
): Promise<readonly Verdict[] | Result> {
  try {
    return await check.run(target, context);
  } catch (error) {
    return { status: "error", message: messageOf(error) };
  }
}

function resultFor(
  all: readonly Verdict[] | Result,
  { id, level }: Requirement,
  failOn: readonly Level[],
): Result {
  if ("status" in all) return all;
  const verdict = all.find(({ requirement }) => requirement === id);
  // A check without a verdict would look like one without a fault.
  if (verdict === undefined) return { status: "error", message: "the check came to no verdict" };
  const { requirement: _, isWarning, ...result } = { message: "", isWarning: false, ...verdict };
  return result.status === "fail" && (isWarning || !failOn.includes(level))
    ? { ...result, status: "warn" }
    : result;
}

function exitCodeFor(findings: readonly Finding[], isIncomplete: boolean): 0 | 1 | 2 {
  const has = (status: Finding["status"]): boolean => findings.some((one) => one.status === status);
  if (has("fail")) return 1;
  return has("error") || isIncomplete || findings.every(({ status }) => status === "skipped")
    ? 2
    : 0;
}
