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
  // If no failure is new, the exit code 1 becomes 0; a code 2 stays.
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
  const faults = memberFaults("", json, ["$schema", "known"]);
  const list: unknown = isRecord(json) ? json["known"] : undefined;
  if (!Array.isArray(list)) return { ok: false, faults: [...faults, "/known must be an array"] };
  const known = new Map<string, KnownFailure>();
  for (const [index, one] of (list as readonly unknown[]).entries()) {
    const pointer = `/known/${String(index)}`;
    faults.push(...memberFaults(pointer, one, ["id", "reason"]));
    const { id, reason } = isRecord(one) ? one : {};
    if (typeof id !== "string" || id === "") faults.push(`${pointer}/id must be text`);
    else if (reason !== undefined && typeof reason !== "string")
      faults.push(`${pointer}/reason must be text`);
    else if (known.has(id)) faults.push(`/known has ${JSON.stringify(id)} twice`);
    else known.set(id, { id, ...(reason !== undefined && { reason }) });
  }
  if (faults.length > 0) return { ok: false, faults };
  return { ok: true, baseline: { known: [...known.values()] } };
}

function memberFaults(pointer: string, value: unknown, names: readonly string[]): string[] {
  if (!isRecord(value)) return [`${pointer || "/"} must be an object`];
  return Object.keys(value).flatMap((name) =>
    names.includes(name) ? [] : `${pointer}/${name} is an unknown member`,
  );
}
