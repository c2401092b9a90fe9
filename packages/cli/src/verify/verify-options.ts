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
    option.parsed("<level,...>", "levels that fail the run", (text) =>
      text.split(",").map((name) => option.oneOf(levels)(name.trim())),
    ),
    defaultFailOn,
  ),
  requirements: option.parsed(
    "<version>",
    "judge by this version (default: the newest)",
    option.oneOf(requirementVersions()),
  ),
  // The checks can be read before a target exists.
  list: { ...option.flag("list the checks without running them"), isAlone: true },
  baseline: option.text("<file>", "JSON report whose failures do not fail the run"),
  seed: option.seed("seed of everything that is generated"),
  json: option.json,
};

export type VerifyOptions = option.ValuesOf<typeof verifyOptions>;

const formatOf = option.oneOf(reportFormats);

function reports(
  text: string,
): readonly { readonly format: ReportFormat; readonly file: string }[] {
  return text.split(",").map((one) => {
    const [name = "", file = ""] = one.split(/=(.*)/s);
    if (file === "") throw new InvalidArgumentError("must be FORMAT=FILE.");
    return { format: formatOf(name), file };
  });
}
