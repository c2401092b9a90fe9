import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  againstBaseline,
  failuresIn,
  githubSummary,
  htmlReport,
  isNotJudged,
  jsonReport,
  junitReport,
  terminalEntry,
  terminalSummary,
  type ReportDocument,
  type ReportEntry,
} from "@countersign/contract-kit/report";
import { Failure } from "../failure.ts";
import type { Surroundings, Tone } from "../terminal.ts";
import type { ReportFormat, VerifyOptions } from "./verify-options.ts";

/** Reports the findings of a verification, as its options select. */
interface Reporting {
  /** Prints one entry. */
  readonly tell: (entry: ReportEntry) => void;
  /** Prints the remaining entries and the summary, and writes the files of `--report`. @returns True if nothing new fails. */
  readonly finish: (document: ReportDocument) => Promise<boolean>;
}

/** Reads the baseline first, so that a mistake in it is reported before anything is sent. */
export async function reporting(
  { baseline, json = false, report = [] }: VerifyOptions,
  { terminal }: Pick<Surroundings, "terminal">,
): Promise<Reporting> {
  const known = await knownFailures(baseline);
  const printed = new Set<string>();
  const passed = new Set<string>();
  const tell = (entry: ReportEntry): void => {
    const { id, status, requirement = "" } = entry;
    printed.add(id);
    // Many checks judge every answer by the same requirements: a pass of each is printed once.
    const isRepeated = status === "pass" && passed.has(requirement);
    // The summary lists the others by their reason, which many share.
    if (json || isRepeated || isNotJudged(entry)) return;
    if (status === "pass" && requirement !== "") passed.add(requirement);
    const isKnown = status === "fail" && known?.has(id) === true;
    const [head = "", ...below] = terminalEntry({ ...entry, isKnown }, terminal.columns);
    terminal.out(head, isKnown ? "mild" : tones[status]);
    for (const line of below) terminal.out(line);
  };
  return {
    tell,
    finish: async (found) => {
      const document = known === undefined ? found : againstBaseline(found, known);
      for (const entry of found.entries) if (!printed.has(entry.id)) tell(entry);
      if (json) terminal.json(document);
      else
        for (const line of terminalSummary(document, terminal.columns))
          terminal.out(line, verdicts[line.slice(0, 5)]);
      // oxlint-disable-next-line no-await-in-loop -- a few files, of which one may be within another's new folder
      for (const { format, file } of report.flat()) await write(file, formats[format](document));
      if (document.exitCode === 2) throw new Failure("CS_CLI_UNVERIFIED", unverified(document));
      return document.exitCode === 0;
    },
  };
}

/** The tone of the summary's verdict. */
const verdicts: Readonly<Record<string, Tone>> = { "PASS:": "good", "FAIL:": "bad" };

const tones: Readonly<Record<ReportEntry["status"], Tone>> = {
  pass: "good",
  fail: "bad",
  error: "bad",
  warn: "mild",
  skipped: "soft",
  not_applicable: "soft",
};

async function write(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    // Not moved into place: the file may be a device or a pipe.
    await writeFile(file, text);
  } catch (cause) {
    const message = `the report cannot be written: ${file}`;
    throw new Failure("CS_CLI_REPORT_UNWRITABLE", message, cause);
  }
}

const formats: Readonly<Record<ReportFormat, (report: ReportDocument) => string>> = {
  junit: junitReport,
  json: jsonReport,
  html: htmlReport,
  github: githubSummary,
};

function unverified({ entries, problems }: ReportDocument): string {
  if (problems.length > 0) return problems.join("; ");
  const broken = entries.find(({ status }) => status === "error");
  if (broken === undefined) {
    const left = entries.find(({ status, message }) => status === "skipped" && message !== "");
    const isPart = entries.some(({ status }) => status === "pass" || status === "fail");
    const what = isPart ? "the run is incomplete" : "nothing was verified";
    return left === undefined ? what : `${what}: ${left.message}`;
  }
  return `${broken.group} broke: ${broken.message}`;
}

/** The ids of the failures in a report. @throws {Failure} `CS_CLI_BASELINE_UNUSABLE` */
async function knownFailures(file: string | undefined): Promise<ReadonlySet<string> | undefined> {
  if (file === undefined) return undefined;
  try {
    return failuresIn(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    const reason = cause instanceof TypeError ? `: ${cause.message}` : "";
    const message = `${file} is not the JSON report of an earlier run, as --report json=FILE writes it${reason}`;
    throw new Failure("CS_CLI_BASELINE_UNUSABLE", message, cause);
  }
}
