import { resolve } from "../derive/schema.ts";
import type { LocatedSchema, Schema, SchemaSet } from "../derive/schema.ts";
import { changesBetween } from "./changes.ts";
import type { RawChange } from "./keyword-changes.ts";
import { diffRules, type Change, type Direction, type RuleId, type Severity } from "./rules.ts";

/** Severities over the rules' own; `"NONE"` leaves the rule out. */
export type SeverityOverrides = {
  readonly [rule in RuleId]?:
    | Severity
    | "NONE"
    | { readonly [direction in Direction]?: Severity | "NONE" };
};

export interface DiffOptions {
  readonly severities?: SeverityOverrides;
  /** Who writes what a document describes; `undefined` where it is only a part of others. */
  readonly directionOf?: (path: string, set: SchemaSet) => Direction | undefined;
}

/**
 * Every change between two sets of schemas, judged by who writes what they describe, the gravest first.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`: what is not understood cannot be compared.
 */
export function diffSchemas(
  old: SchemaSet,
  now: SchemaSet,
  { severities = {}, directionOf = directionByPath }: DiffOptions = {},
): readonly Change[] {
  const paths = [...new Set([...old.paths, ...now.paths])].toSorted();
  const judged = paths.flatMap((path) => {
    const direction = directionOf(path, now.paths.includes(path) ? now : old);
    if (direction === undefined) return [];
    return documentChanges(old, now, path).flatMap((change): Change[] => {
      const severity = severityOf(change.rule, direction, severities);
      return severity === "NONE" ? [] : [{ ...change, direction, severity }];
    });
  });
  // A part that many documents refer to has changed once.
  const unique = new Map(judged.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].toSorted((one, other) => rank(one) - rank(other));
}

/**
 * `events/` are events, `*-request` requests, profiles are written by who configures a service; an
 * answer is what is named so, and what no other document refers to.
 */
export function directionByPath(path: string, set: SchemaSet): Direction | undefined {
  if (/(^|\/)events\//.test(path)) return "event";
  if (path.endsWith("-request.schema.json") || /(^|\/)profiles\//.test(path)) return "request";
  if (/(^|\/)(refund|customer|problem|[a-z-]*-response|[a-z]+-error)\.schema\.json$/.test(path))
    return "response";
  return referred(set).has(path) ? undefined : "response";
}

function documentChanges(old: SchemaSet, now: SchemaSet, path: string): readonly RawChange[] {
  const place = `${path}#`;
  if (!now.paths.includes(path)) return [{ rule: "document-removed", place, message: path }];
  if (!old.paths.includes(path)) return [{ rule: "document-added", place, message: path }];
  return changesBetween(old.document(path), now.document(path));
}

function severityOf(
  rule: RuleId,
  direction: Direction,
  overrides: SeverityOverrides,
): Severity | "NONE" {
  const own = overrides[rule];
  const chosen = typeof own === "object" ? own[direction] : own;
  return chosen ?? diffRules[rule].severities[direction];
}

function rank({ severity }: Change): number {
  return ["ERR", "WARN", "INFO"].indexOf(severity);
}

/** Paths of the documents that others refer to. */
function referred(set: SchemaSet): ReadonlySet<string> {
  return new Set(set.paths.flatMap((path) => referencesOf(set.document(path))));
}

function referencesOf(located: LocatedSchema): readonly string[] {
  const { schema } = located;
  const inner = partsOf(schema).flatMap((part) => referencesOf({ ...located, schema: part }));
  return schema.$ref === undefined ? inner : [resolve(located).path, ...inner];
}

function partsOf({ properties = {}, items, oneOf = [] }: Schema): readonly Schema[] {
  return [...Object.values(properties), ...(items === undefined ? [] : [items]), ...oneOf];
}
