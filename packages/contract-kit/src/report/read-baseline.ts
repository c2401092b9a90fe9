import type { Baseline, KnownFailure } from "./baseline.ts";

export type BaselineReading =
  | { readonly ok: true; readonly baseline: Baseline }
  /** Each fault begins with the JSON Pointer of its place. */
  | { readonly ok: false; readonly faults: readonly string[] };

/** What `schemas/baseline.schema.json` says, with the place of each fault. */
export function readBaseline(json: unknown): BaselineReading {
  if (!isObject(json)) return { ok: false, faults: ["/ must be an object"] };
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
  if (!isObject(json)) return { faults: [`${pointer} must be an object`] };
  const { id, reason, ...others } = json;
  const faults = Object.keys(others).map((name) => `${pointer}/${name} is not a member of one`);
  if (typeof id !== "string" || id === "") faults.push(`${pointer}/id must be text`);
  if (reason !== undefined && typeof reason !== "string")
    faults.push(`${pointer}/reason must be text`);
  if (faults.length > 0 || typeof id !== "string") return { faults };
  return { failure: { id, ...(typeof reason === "string" && { reason }) }, faults };
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
