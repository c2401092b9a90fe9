import { insidesOf, resolve, type LocatedSchema, type SchemaSet } from "../derive/schema.ts";
import { changesBetween, type RawChange } from "./changes.ts";
import { counterexample, readersOf } from "./counterexample.ts";
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
  /** The writer of what a document describes; `undefined` if it is only a part of others. */
  readonly directionOf?: (path: string, set: SchemaSet) => Direction | undefined;
}

/**
 * Returns every change between two sets of schemas, with its severity for the writer's peers, worst first.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`: unsupported schemas cannot be compared.
 */
export function diffSchemas(
  old: SchemaSet,
  now: SchemaSet,
  { severities = {}, directionOf = directionByPath }: DiffOptions = {},
): readonly Change[] {
  const paths = [...new Set([...old.paths, ...now.paths])].filter(isOfInterface).toSorted();
  const readers = readersOf(old);
  const judged = paths.flatMap((path) => {
    const direction = directionOf(path, now.paths.includes(path) ? now : old);
    if (direction === undefined) return [];
    const changes = documentChanges(old, now, path);
    const isBreaking = changes.some(({ rule }) => diffRules[rule].severities[direction] === "ERR");
    const found = isBreaking ? [] : refusedValue([old, now, readers], path, direction);
    return [...changes, ...found].flatMap((change): Change[] => {
      const severity = severityOf(change.rule, direction, severities);
      return severity === "NONE" ? [] : [{ ...change, direction, severity }];
    });
  });
  // A shared part that changed is reported once.
  const unique = new Map(judged.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].toSorted((one, other) => rank(one) - rank(other));
}

/** False for the schema of provider documents, which describe how a sender signs and not what it sends. */
const isOfInterface = (path: string): boolean => !/(^|\/)providers\//.test(path);

/**
 * `events/` are events, `*-request` requests, profiles are written by operators of a service; an
 * answer is a document that is named so, or that no other document refers to.
 */
export function directionByPath(path: string, set: SchemaSet): Direction | undefined {
  if (/(^|\/)events\//.test(path)) return "event";
  if (path.endsWith("-request.schema.json") || /(^|\/)profiles\//.test(path)) return "request";
  if (/(^|\/)(refund|customer|problem|[a-z-]*-response|[a-z]+-error)\.schema\.json$/.test(path))
    return "response";
  const isPart = set.paths
    .filter(isOfInterface)
    .some((one) => referencesOf(set.document(one)).includes(path));
  return isPart ? undefined : "response";
}

function documentChanges(old: SchemaSet, now: SchemaSet, path: string): readonly RawChange[] {
  const place = `${path}#`;
  if (!now.paths.includes(path)) return [{ rule: "document-removed", place, message: path }];
  if (!old.paths.includes(path)) return [{ rule: "document-added", place, message: path }];
  return changesBetween(old.document(path), now.document(path));
}

/** A "compatible" verdict is only as good as the rules: a search looks for a value that refutes it. */
function refusedValue(
  [old, now, readers]: readonly [SchemaSet, SchemaSet, SchemaSet],
  path: string,
  direction: Direction,
): readonly RawChange[] {
  if (!old.paths.includes(path) || !now.paths.includes(path)) return [];
  if (textOf(old, path) === textOf(now, path)) return [];
  const found =
    direction === "request"
      ? counterexample(old.document(path), now.document(path))
      : counterexample(now.document(path), readers.document(path));
  if (found === undefined) return [];
  return [{ rule: "value-refused", place: `${path}#`, message: JSON.stringify(found.value) }];
}

function textOf(set: SchemaSet, path: string): string {
  const paths = new Set([path]);
  for (const one of paths)
    for (const next of referencesOf(set.document(one))) if (next !== one) paths.add(next);
  return [...paths].map((one) => JSON.stringify(set.document(one).schema)).join("\n");
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

function referencesOf(located: LocatedSchema): readonly string[] {
  if (located.schema.$ref !== undefined) return [resolve(located).path];
  return insidesOf(located).flatMap(referencesOf);
}
