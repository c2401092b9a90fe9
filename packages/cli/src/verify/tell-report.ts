import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  againstBaseline,
  githubAnnotations,
  githubSummary,
  htmlReport,
  jsonReport,
  junitReport,
  terminalEntry,
  terminalSummary,
  type ReportDocument,
  type ReportEntry,
} from "@countersign/contract-kit/report";
import { Failure } from "../failure.ts";
import { printableJson } from "../printable.ts";
import type { Surroundings, Tone } from "../terminal.ts";
import { baselineFrom, updatedBaseline } from "./baseline-file.ts";
import type { ReportFormat, VerifyOptions } from "./verify-options.ts";

/** Reports the findings of a verification, as its options select. */
export interface Telling {
  /** Prints one entry. */
  readonly entry: (entry: ReportEntry) => void;
  /**
   * Prints the remaining entries and the summary, and writes the files of `--report`.
   *
   * @returns True if nothing new fails at a level of `--fail-on`.
   * @throws {Failure} `CS_CLI_UNVERIFIED`: the target was not verified, or only in part; reports are
   *   written anyway. `CS_CLI_REPORT_UNWRITABLE`, `CS_CLI_BASELINE_UNUSABLE`: a file cannot be written.
   */
  readonly report: (document: ReportDocument) => Promise<boolean>;
}

/**
 * Reads the baseline first, so that a mistake in it is reported before anything is sent.
 *
 * @throws {Failure} `CS_CLI_BASELINE_UNUSABLE`
 */
export async function telling(
  options: VerifyOptions,
  { terminal, env }: Pick<Surroundings, "terminal" | "env">,
): Promise<Telling> {
  const before = await baselineFrom(options);
  const known = new Set(before?.known.map(({ id }) => id));
  const told = new Set<string>();
  const tell = (entry: ReportEntry): void => {
    told.add(entry.id);
    if (options.json === true) return;
    const isKnown = entry.status === "fail" && known.has(entry.id);
    const [head = "", ...below] = terminalEntry({ ...entry, isKnown }, terminal.columns);
    terminal.out(head, isKnown ? "mild" : tones[entry.status]);
    for (const line of below) terminal.out(line);
  };
  return {
    entry: tell,
    report: async (found) => {
      const after = before && (await updatedBaseline(found, before, { options, terminal }));
      const document = after === undefined ? found : againstBaseline(found, after);
      for (const entry of found.entries) if (!told.has(entry.id)) tell(entry);
      if (options.json === true) terminal.out(printableJson(document));
      else
        for (const line of terminalSummary(document, terminal.columns))
          terminal.out(line, verdicts[line.slice(0, 5)]);
      if (options.json !== true && env["GITHUB_ACTIONS"] === "true")
        for (const line of githubAnnotations(document).split("\n").slice(0, -1)) terminal.out(line);
      await write(document, options);
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

async function write(document: ReportDocument, { report = [] }: VerifyOptions): Promise<void> {
  for (const { format, file } of report) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one may be within another's new folder
      await mkdir(dirname(file), { recursive: true });
      // Not moved into place: the file may be a device or a pipe.
      // oxlint-disable-next-line no-await-in-loop -- a few files
      await writeFile(file, formats[format](document));
    } catch (cause) {
      throw new Failure("CS_CLI_REPORT_UNWRITABLE", `the report cannot be written: ${file}`, {
        cause,
      });
    }
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
    const reason = entries.find(({ message }) => message !== "")?.message;
    return `nothing was verified${reason === undefined ? "" : `: ${reason}`}`;
  }
  return `${broken.group} broke: ${broken.message}`;
}
