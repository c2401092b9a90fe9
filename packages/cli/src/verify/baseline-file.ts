import { readFile } from "node:fs/promises";
import {
  baselineOf,
  readBaseline,
  type Baseline,
  type ReportDocument,
} from "@countersign/contract-kit/report";
import { Failure, systemCode } from "../failure.ts";
import type { Terminal } from "../terminal.ts";
import { writeFiles } from "../write-files.ts";
import type { VerifyOptions } from "./verify-options.ts";

/**
 * The baseline of `--baseline`; `undefined` without one.
 *
 * @throws {Failure} `CS_CLI_BASELINE_UNUSABLE`: it is unreadable or invalid; the message lists every fault
 *   with its place. A missing file is an error, unless this run writes it.
 */
export async function baselineFrom({
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
export async function updatedBaseline(
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
