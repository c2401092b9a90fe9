import { type CheckOf, requirements, run, type Target } from "@countersign/contract-kit";
import {
  entryOfFinding,
  redactor,
  type ReportDocument,
  type ReportEntry,
  reportOfRun,
} from "@countersign/contract-kit/report";
import type { Command } from "commander";
import { inColumns, type Surroundings } from "../terminal.ts";
import { givenWords, requireKnownIds, shellWords } from "./arguments.ts";
import { reporting } from "./reporting.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** The parts in which the commands `countersign verify …` differ. */
interface Verification<T extends Opened> {
  /** The command as the user gave it. */
  readonly command: Command;
  /** The ids that `--only` and `--skip` may name. */
  readonly ids: readonly string[];
  /** The rows of `--list`, by their name as JSON. */
  readonly listed: Readonly<Record<string, readonly ListedRow[]>>;
  /** Opens the target, or stops when the run is interrupted; not called with `--list`. */
  readonly open: (interrupted: AbortSignal) => Promise<T>;
  readonly judge: (opened: T, judging: Judging) => Promise<ReportDocument>;
}

/** A requirement that is judged, its level, and who states it in which words. */
interface ListedRow {
  readonly requirement: string;
  readonly level: string | undefined;
  readonly [who: string]: string | undefined;
}

/** An opened target. */
interface Opened {
  readonly target: { readonly url: string };
  /** Texts that no report may contain: tokens, keys, and `user:password` of Basic. */
  readonly secrets: readonly string[];
  readonly close: () => void | Promise<void>;
}

interface Judging {
  readonly signal: AbortSignal;
  /** The command that repeats a part of the run. */
  readonly again: (...words: readonly string[]) => string;
  readonly tell: (entry: ReportEntry) => void;
}

/** Verifies a target and reports the findings. @returns True if nothing new fails at a level of `--fail-on`. */
export async function verify<T extends Opened>(
  { command, ids, listed, open, judge }: Verification<T>,
  options: VerifyOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  requireKnownIds(options, ids);
  if (options.list === true) {
    const { terminal } = surroundings;
    const cells = Object.values(listed)
      .flat()
      .map((row) => Object.values(row).map((cell) => cell ?? "-"));
    if (options.json === true) terminal.json(listed);
    else for (const line of inColumns(cells)) terminal.out(line);
    return true;
  }
  const reports = await reporting(options, surroundings);
  // From now on: to open a target may take its time.
  const signal = surroundings.interruption();
  const opened = await open(signal);
  try {
    // Values of a query are keys where somebody puts them there.
    const hide = redactor([...opened.secrets, ...new URL(opened.target.url).searchParams.values()]);
    const document = await judge(opened, {
      signal,
      again: (...words) => shellWords([...givenWords(command), ...words]),
      tell: (entry) => reports.tell(hide(entry)),
    });
    return await reports.finish(hide(document));
  } finally {
    await opened.close();
  }
}

/** A target of checks. */
export interface OpenedTarget<T extends Target> extends Opened {
  readonly target: T;
  /** Notes for the report's reader, read when all checks have run. */
  readonly notes: () => readonly string[];
}

/** Verifies a target by checks. */
export function verifyTarget<T extends Target>(
  {
    role,
    checks,
    runs,
    command,
    open,
  }: {
    readonly role: T["role"];
    readonly checks: readonly CheckOf<T>[];
    /** Scenarios of a generated check. */
    readonly runs?: number;
    readonly command: Command;
    readonly open: (interrupted: AbortSignal) => Promise<OpenedTarget<T>>;
  },
  options: VerifyOptions,
  surroundings: Surroundings,
): Promise<boolean> {
  const { only, skip = {}, seed, failOn, requirements: version } = options;
  const all = requirements(role);
  const byId = new Map(all.map((one) => [one.id, one]));
  const rows = checks.flatMap(({ id: check, requirements: tested }) =>
    tested
      .filter((id) => only === undefined || only.includes(id) || only.includes(check))
      .filter((id) => skip[id] === undefined && skip[check] === undefined)
      .flatMap((id) => byId.get(id) ?? [])
      .map(({ id, level, sentence }) => ({ requirement: id, level, check, sentence })),
  );
  return verify(
    {
      command,
      ids: [...byId.keys(), ...checks.map(({ id }) => id)],
      listed: { checks: rows },
      open,
      judge: async ({ target, notes }, { signal, again, tell }) => {
        const replay = (check: string): string => again("--only", check, "--seed", String(seed));
        const report = await run({
          target,
          checks,
          requirements: all,
          seed,
          failOn,
          skip,
          ...(only && { only }),
          ...(version !== undefined && { version }),
          ...(runs !== undefined && { runs }),
          signal,
          onCheck: ({ id, title }, place, total) =>
            surroundings.terminal.progress?.(`${place}/${total} ${id}: ${title}`),
          onFinding: (finding) => tell(entryOfFinding(finding, { replay })),
        });
        surroundings.terminal.progress?.("");
        return reportOfRun(report, { replay, notes: notes() });
      },
    },
    options,
    surroundings,
  );
}
