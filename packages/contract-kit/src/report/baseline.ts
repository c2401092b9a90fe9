import { isRecord } from "../values.ts";
import type { ReportDocument, ReportEntry } from "./document.ts";

/**
 * Known failures: they are reported and fail no run. As JSON it fits `schemas/baseline.schema.json`.
 */
export interface Baseline {
  readonly known: readonly KnownFailure[];
}

export interface KnownFailure {
  /** `ReportEntry.id`. */
  readonly id: string;
  /** The reason why it is not fixed yet. */
  readonly reason?: string;
}

/**
 * The report with the failures that a baseline has marked as known. A new failure fails the run; so does
 * the reasons why it is invalid. A warning is not a failure, and a baseline does not change it.
 */
export function againstBaseline(document: ReportDocument, { known }: Baseline): ReportDocument {
  const ids = new Set(known.map(({ id }) => id));
  const entries = document.entries.map((entry) => ({
    ...entry,
    isKnown: ids.has(entry.id) && isFailure(entry),
  }));
  const withStatus = (...of: readonly ReportEntry["status"][]): readonly string[] =>
    entries.filter(({ id, status }) => ids.has(id) && of.includes(status)).map(({ id }) => id);
  const failing = withStatus("fail");
  const mended = withStatus("pass");
  const unjudged = [...ids].filter((id) => !failing.includes(id) && !mended.includes(id));
  const isNew = entries.some((entry) => isFailure(entry) && !entry.isKnown);
  const hasError = entries.some(({ status }) => status === "error") || document.problems.length > 0;
  // Without a failure, what ended a run with 1 has become known; what ended it with 2 stays.
  const exitCode = document.exitCode === 1 && !isNew ? (hasError ? 2 : 0) : document.exitCode;
  return { ...document, entries, baseline: { known: failing, mended, unjudged }, exitCode };
}

/**
 * The baseline that a run leaves: what fails now, with the reasons that were given, and what the run says
 * nothing of.
 */
export function baselineOf(
  { entries }: Pick<ReportDocument, "entries">,
  before: Baseline = { known: [] },
): Baseline {
  const passed = new Set(entries.filter(({ status }) => status === "pass").map(({ id }) => id));
  const kept = before.known.filter(({ id }) => !passed.has(id));
  const added = entries
    .filter((entry) => isFailure(entry) && kept.every(({ id }) => id !== entry.id))
    .map(({ id }) => ({ id }));
  return { known: [...kept, ...added].toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}

function isFailure({ status }: ReportEntry): boolean {
  return status === "fail";
}

export type BaselineReading =
  | { readonly ok: true; readonly baseline: Baseline }
  /** Each fault begins with the JSON Pointer of its place. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** Checks against `schemas/baseline.schema.json`, with the place of each fault. */
export function readBaseline(json: unknown): BaselineReading {
  if (!isRecord(json)) return { ok: false, faults: ["/ must be an object"] };
  const { $schema: _, known, ...others } = json;
  const faults = Object.keys(others).map((name) => `/${name} is not a member of a baseline`);
  if (!Array.isArray(known)) return { ok: false, faults: [...faults, "/known must be an array"] };
  const read = known.map((one: unknown, index) => knownFailure(one, `/known/${index}`));
  const ids = read.flatMap(({ failure }) => failure?.id ?? []);
  const twice = ids
    .filter((id, index) => ids.indexOf(id) !== index)
    .map((id) => `/known has ${JSON.stringify(id)} twice`);
  const all = [...faults, ...read.flatMap((one) => one.faults), ...twice];
  if (all.length > 0) return { ok: false, faults: all };
  return { ok: true, baseline: { known: read.flatMap(({ failure }) => failure ?? []) } };
}

interface ReadFailure {
  readonly failure?: KnownFailure;
  readonly faults: readonly string[];
}

function knownFailure(json: unknown, pointer: string): ReadFailure {
  if (!isRecord(json)) return { faults: [`${pointer} must be an object`] };
  const { id, reason, ...others } = json;
  const faults = Object.keys(others).map((name) => `${pointer}/${name} is not a member of one`);
  if (typeof id !== "string" || id === "") faults.push(`${pointer}/id must be text`);
  if (reason !== undefined && typeof reason !== "string")
    faults.push(`${pointer}/reason must be text`);
  if (faults.length > 0 || typeof id !== "string") return { faults };
  return { failure: { id, ...(typeof reason === "string" && { reason }) }, faults };
}
