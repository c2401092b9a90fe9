import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  againstBaseline,
  baselineOf,
  githubAnnotations,
  githubSummary,
  htmlReport,
  jsonReport,
  junitReport,
  readBaseline,
  terminalEntry,
  terminalSummary,
  type Baseline,
  type ReportDocument,
  type ReportEntry,
} from "@countersign/contract-kit/report";
import { Failure, systemCode } from "../failure.ts";
import { printableJson } from "../printable.ts";
import type { Surroundings, Terminal, Tone } from "../terminal.ts";
import { writeFiles } from "../write-files.ts";
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

/**
 * The baseline of `--baseline`; `undefined` without one.
 *
 * @throws {Failure} `CS_CLI_BASELINE_UNUSABLE`: it is unreadable or invalid; the message lists every fault
 *   with its place. A missing file is an error, unless this run writes it.
 */
async function baselineFrom({
  baseline: file,
  updateBaseline = false,
}: Pick<VerifyOptions, "baseline" | "updateBaseline">): Promise<Baseline | undefined> {
  if (file === undefined) {
    if (updateBaseline) throw unusable("--update-baseline needs --baseline with the file to write");
    return undefined;
  }
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    if (updateBaseline && systemCode(cause) === "ENOENT") return { known: [] };
    throw unusable(`${file} cannot be read; --update-baseline makes it`, cause);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw unusable(`${file} is not JSON`, cause);
  }
  const read = readBaseline(json);
  if (read.ok) return read.baseline;
  throw unusable(
    [`${file} is not a valid baseline:`, ...read.faults.map((one) => `  ${one}`)].join("\n"),
  );
}

/**
 * The baseline that a run is judged by: as it was, or with `--update-baseline` as the run leaves it, which
 * is written. A run that says too little writes none.
 *
 * @throws {Failure} `CS_CLI_BASELINE_UNUSABLE`: the file cannot be written.
 */
async function updatedBaseline(
  report: ReportDocument,
  before: Baseline,
  {
    options: { baseline: file, updateBaseline },
    terminal,
  }: { readonly options: VerifyOptions; readonly terminal: Terminal },
): Promise<Baseline> {
  if (file === undefined || updateBaseline !== true) return before;
  if (report.exitCode === 2) {
    terminal.err("the baseline is left as it was: the run says too little");
    return before;
  }
  const after = baselineOf(report, before);
  try {
    await writeFiles(new Map([[file, `${JSON.stringify(after, undefined, 2)}\n`]]));
  } catch (cause) {
    throw unusable(`${file} cannot be written`, cause);
  }
  const without = (these: Baseline, those: Baseline): number =>
    these.known.filter(({ id }) => those.known.every((one) => one.id !== id)).length;
  terminal.err(`baseline: ${without(after, before)} added, ${without(before, after)} removed`);
  return after;
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_BASELINE_UNUSABLE", message, { cause });
}
