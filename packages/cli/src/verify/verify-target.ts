import { requirements, run, type CheckOf, type Target } from "@countersign/contract-kit";
import {
  entryOfFinding,
  reportOfRun,
  redactor,
  type RunReportOptions,
} from "@countersign/contract-kit/report";
import { printable, printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";
import { optionWords, queryValues, requireKnownIds, shellWords } from "./arguments.ts";
import { telling } from "./tell-report.ts";
import { defaultFailOn, type VerifyOptions } from "./verify-options.ts";

/** The parts in which `countersign verify receiver` and `verify provider` differ. */
export interface Verification<T extends Target> {
  readonly role: T["role"];
  readonly checks: readonly CheckOf<T>[];
  /** Opens the target; not called with `--list`. */
  readonly open: () => Promise<OpenedTarget<T>>;
  /** The words of a command that reaches the same target, without options of `VerifyOptions`. */
  readonly command: readonly string[];
  /** Path of a generated failure to replay, for a single check. */
  readonly path?: string;
  /** Scenarios of a generated check. */
  readonly runs?: number;
}

export interface OpenedTarget<T extends Target> {
  readonly target: T;
  /** Texts that no report may contain: tokens, keys, and `user:password` of Basic. */
  readonly secrets: readonly string[];
  /** The checks that apply to this target. Default: all checks of the verification. */
  readonly checks?: readonly CheckOf<T>[];
  /** Notes for the report's reader, read when all checks have run. */
  readonly notes?: () => readonly string[];
  readonly close: () => void | Promise<void>;
}

/**
 * Verifies a target and reports the findings.
 *
 * @returns True if nothing new fails at a level of `--fail-on`.
 * @throws {Failure} `CS_CLI_UNVERIFIED`, `CS_CLI_ARGUMENT_UNUSABLE`, and what `open` throws.
 */
export async function verifyTarget<T extends Target>(
  verification: Verification<T>,
  options: VerifyOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { role, checks, path, runs } = verification;
  const { only, skip, seed, failOn } = options;
  const owed = requirements(role);
  requireKnownIds(options, [...owed.map(({ id }) => id), ...checks.map(({ id }) => id)]);
  if (options.list === true) {
    list(verification, options, surroundings);
    return true;
  }
  const replay: NonNullable<RunReportOptions["replay"]> = (check, at) =>
    shellWords([
      ...verification.command,
      ...optionWords({
        "--profile": options.profile === "standard" ? undefined : options.profile,
        "--fail-on": failOn.join() === defaultFailOn.join() ? undefined : failOn.join(","),
        "--only": check,
        "--requirements": options.requirements,
        "--seed": String(at.seed),
        "--path": at.path,
      }),
    ]);
  const tells = await telling(options, surroundings);
  // From now on: to open a target may take its time.
  const signal = surroundings.interruption();
  const opened = await verification.open();
  try {
    const hide = redactor([...opened.secrets, ...queryValues(opened.target.url)]);
    const report = await run({
      target: opened.target,
      checks: opened.checks ?? checks,
      requirements: owed,
      seed,
      failOn,
      ...(only && { only }),
      ...(skip && { skip }),
      ...(options.requirements !== undefined && { version: options.requirements }),
      ...(path !== undefined && { path }),
      ...(runs !== undefined && { runs }),
      signal,
      onCheck: ({ id, title }, place, total) =>
        surroundings.terminal.progress?.(printable(`${place}/${total} ${id}: ${title}`)),
      onFinding: (finding) => {
        tells.entry(hide(entryOfFinding(finding, { seed, replay })));
      },
    });
    surroundings.terminal.progress?.("");
    const notes = opened.notes?.() ?? [];
    return await tells.report(hide(reportOfRun(report, { replay, notes })));
  } finally {
    await opened.close();
  }
}

function list<T extends Target>(
  { checks, role }: Verification<T>,
  { only, skip = {}, json }: VerifyOptions,
  { terminal }: Surroundings,
): void {
  const byId = new Map(requirements(role).map((one) => [one.id, one]));
  const rows = checks.flatMap((check) =>
    check.requirements
      .filter((id) => only === undefined || only.includes(id) || only.includes(check.id))
      .filter((id) => skip[id] === undefined && skip[check.id] === undefined)
      .flatMap((id) => byId.get(id) ?? [])
      .map(({ id, level, sentence }) => ({ check: check.id, requirement: id, level, sentence })),
  );
  if (json === true) terminal.out(printableJson({ checks: rows }));
  else
    for (const { check, requirement, level, sentence } of rows)
      terminal.out(
        printable(
          `${requirement.padEnd(26)}  ${level.padEnd(23)}  ${check.padEnd(26)}  ${sentence}`,
        ),
      );
}
