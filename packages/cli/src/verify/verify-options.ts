import { levels, type Level, requirementVersions } from "@countersign/contract-kit";
import { type Command, InvalidArgumentError, Option } from "commander";
import { profileOption, seed } from "../options.ts";

/** Options of every `countersign verify …`, as the command line names them. */
export interface VerifyOptions {
  readonly profile: string;
  readonly report?: readonly WantedReport[];
  /** Ids of requirements or checks. */
  readonly only?: readonly string[];
  /** Reasons by the id of a requirement or a check. */
  readonly skip?: Readonly<Record<string, string>>;
  readonly failOn: readonly Level[];
  readonly list?: boolean;
  /** The version to judge by. */
  readonly requirements?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly seed: number;
  readonly json?: boolean;
}

export const defaultFailOn: readonly Level[] = levels.slice(0, 2);

const reportFormats = ["junit", "json", "html", "github"] as const;
export type ReportFormat = (typeof reportFormats)[number];

interface WantedReport {
  readonly format: ReportFormat;
  readonly file: string;
}

/** Help of every `countersign verify …`, before its examples. */
export const verifyHelp: string = `
Exit code: 0 if nothing new fails at a level of --fail-on, 1 if something does, 2 if the target could not be judged: it does not answer,
a check broke, or the run was interrupted. A failure at another level is a warning.

Levels: ${levels.join(", ")}.

Reports: JUnit XML, JSON, one HTML page, and a Markdown job summary for GitHub. With GITHUB_ACTIONS=true, failures are also printed as
annotations.`;

/**
 * Adds the options of every `countersign verify …`. With `--list` no option is required: the checks can be read
 * before a target exists.
 */
export function withVerifyOptions(
  command: Command,
  { hasProfile = true }: { readonly hasProfile?: boolean } = {},
): Command {
  const asksForNothing = (): void => {
    for (const option of command.options) option.mandatory = false;
  };
  if (hasProfile) command.addOption(profileOption());
  return command
    .on("option:list", asksForNothing)
    .option("--report <format=file,...>", `${reportFormats.join("=F, ")}=F`, reports)
    .option("--only <id...>", "run only these requirements or checks")
    .option("--skip <id=reason...>", "skip these requirements or checks", reasons)
    .addOption(
      new Option("--fail-on <level,...>", "levels that fail the run")
        .argParser(levelNames)
        .default(defaultFailOn, defaultFailOn.join(",")),
    )
    .option("--requirements <version>", "judge by this version (default: the newest)", version)
    .option("--list", "list the checks without running them")
    .option("--baseline <file>", "JSON file of known failures, which do not fail the run")
    .option("--update-baseline", "write the current failures to --baseline")
    .option("--seed <number>", "seed of everything that is generated", seed, 1)
    .option("--json", "print one JSON object instead of lines");
}

function reports(text: string, before: readonly WantedReport[] = []): readonly WantedReport[] {
  const asked = text.split(",").map((one): WantedReport => {
    const [name = "", file = ""] = one.split(/=(.*)/s);
    const format = reportFormats.find((known) => known === name);
    if (format === undefined || file === "")
      throw new InvalidArgumentError(
        `must be FORMAT=FILE, the format one of ${reportFormats.join(", ")}.`,
      );
    return { format, file };
  });
  return [...before, ...asked];
}

function version(text: string): string {
  const known = requirementVersions();
  if (known.includes(text)) return text;
  throw new InvalidArgumentError(`expected a version of the requirements: ${known.join(", ")}.`);
}

function levelNames(text: string): readonly Level[] {
  return text.split(",").map((name) => {
    const level = levels.find((known) => known === name.trim());
    if (level === undefined)
      throw new InvalidArgumentError(`expected a list of ${levels.join(", ")}.`);
    return level;
  });
}

function reasons(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [id = "", reason = ""] = text.split(/=(.*)/s);
  if (id === "" || reason.trim() === "") throw new InvalidArgumentError("must be ID=REASON.");
  return { ...before, [id]: reason };
}
