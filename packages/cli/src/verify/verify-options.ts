import { levels, type Level, requirementVersions } from "@countersign/contract-kit";
import { InvalidArgumentError } from "commander";
import * as option from "../options.ts";

const defaultFailOn: readonly Level[] = levels.slice(0, 2);

const reportFormats = ["junit", "json", "html", "github"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Help of every `countersign verify …`, before its examples. */
export const verifyHelp: string = `
Exit code: 0 if nothing new fails at a level of --fail-on, 1 if something does, 2 if the target could not be judged: it does not answer,
a check broke, or the run was interrupted. A failure at another level is a warning.

Levels: ${levels.join(", ")}.

Reports: JUnit XML, JSON, one HTML page, and a Markdown job summary for GitHub.`;

/** Reasons by the id of a requirement or a check. */
type Reasons = Readonly<Record<string, string>>;

const skip: option.OptionOf<Reasons | undefined> = {
  value: "<id=reason...>",
  help: "skip these requirements or checks",
  parse: (text, before = {}) => {
    const [id = "", reason = ""] = text.split(/=(.*)/s);
    if (id === "" || reason.trim() === "") throw new InvalidArgumentError("must be ID=REASON.");
    return { ...before, [id]: reason };
  },
};

/** Options of every `countersign verify …`. */
export const verifyOptions = {
  report: option.list("<format=file,...>", `${reportFormats.join("=F, ")}=F`, reports),
  only: option.words("<id...>", "run only these requirements or checks"),
  skip,
  failOn: option.byDefault(
    option.parsed("<level,...>", "levels that fail the run", levelNames),
    defaultFailOn,
  ),
  requirements: option.parsed("<version>", "judge by this version (default: the newest)", version),
  // The checks can be read before a target exists.
  list: { ...option.flag("list the checks without running them"), isAlone: true },
  baseline: option.text("<file>", "JSON report whose failures do not fail the run"),
  seed: option.seed("seed of everything that is generated"),
  json: option.json,
};

export type VerifyOptions = option.ValuesOf<typeof verifyOptions>;

function reports(
  text: string,
): readonly { readonly format: ReportFormat; readonly file: string }[] {
  return text.split(",").map((one) => {
    const [name = "", file = ""] = one.split(/=(.*)/s);
    const format = reportFormats.find((known) => known === name);
    if (format !== undefined && file !== "") return { format, file };
    const known = reportFormats.join(", ");
    throw new InvalidArgumentError(`must be FORMAT=FILE, the format one of ${known}.`);
  });
}

function version(text: string): string {
  const known = requirementVersions();
  if (known.includes(text)) return text;
  throw new InvalidArgumentError(`expected a version of the requirements: ${known.join(", ")}.`);
}

function levelNames(text: string): readonly Level[] {
  return text.split(",").map((name) => {
    const level = levels.find((known) => known === name.trim());
    if (level !== undefined) return level;
    throw new InvalidArgumentError(`expected a list of ${levels.join(", ")}.`);
  });
}
