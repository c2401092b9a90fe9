import type { DocumentPart, EventsDocument } from "../documents/read-document.ts";
import type { LocatedSchema } from "../derive/schema.ts";
import { Comparison } from "./compare.ts";
import { Illustrations } from "./illustrations.ts";
import {
  type Change,
  diffRules,
  type Direction,
  type RawChange,
  type RuleId,
  type Severity,
} from "./rules.ts";

/** Severities over the rules' own; `"NONE"` leaves the rule out. */
export type SeverityOverrides = {
  readonly [rule in RuleId]?:
    | Severity
    | "NONE"
    | { readonly [direction in Direction]?: Severity | "NONE" };
};

export interface DiffOptions {
  readonly severities?: SeverityOverrides;
  /** True if readers take every list of values as open. Default false: a list is, if it says `x-open`. */
  readonly openEnums?: boolean;
  /** The most values that are tried to show what a breaking change breaks. Default 2,000. */
  readonly values?: number;
}

export interface Diff {
  /** Worst first. */
  readonly changes: readonly Change[];
  /** A sentence if the budget of values ended before each breaking change had its example. */
  readonly note?: string;
}

/**
 * Returns every change between two documents, with its severity for those who read what it describes, or write it. The
 * verdicts follow from the schemas; values are searched only to illustrate them.
 */
export function diffDocuments(
  old: EventsDocument,
  now: EventsDocument,
  { severities = {}, openEnums = false, values = 2000 }: DiffOptions = {},
): Diff {
  const illustrations = new Illustrations(values);
  // A pair of schemas means the same wherever the same side writes it.
  const comparisons: Record<Direction, Comparison> = {
    request: new Comparison({ openEnums }),
    response: new Comparison({ openEnums }),
    event: new Comparison({ openEnums }),
  };
  const [before, after] = [partsByName(old), partsByName(now)];
  const judged = [...new Set([...after.keys(), ...before.keys()])].flatMap((name) => {
    const [earlier, later] = [before.get(name), after.get(name)];
    const { direction } = (later ?? earlier) as DocumentPart;
    const judge = (change: RawChange): readonly Change[] => {
      const severity = severityOf(change.rule, direction, severities);
      return severity === "NONE" ? [] : [{ ...change, direction, severity }];
    };
    if (earlier === undefined || later === undefined) {
      const rule = later === undefined ? "part-removed" : "part-added";
      return judge({ rule, place: `${name}#`, message: name });
    }
    const [was, is] = [located(old, earlier), located(now, later)];
    return illustrations.added(comparisons[direction].changes(was, is).flatMap(judge), was, is);
  });
  const unique = new Map(judged.map((one) => [JSON.stringify(one), one]));
  const changes = [...unique.values()].toSorted((one, other) => rank(one) - rank(other));
  const { note } = illustrations;
  return { changes, ...(note !== undefined && { note }) };
}

const partsByName = ({ parts }: EventsDocument): ReadonlyMap<string, DocumentPart> =>
  new Map(parts.map((part) => [part.name, part]));

const located = (source: EventsDocument, { name, schema }: DocumentPart): LocatedSchema => ({
  schema,
  source,
  place: `${name}#`,
});

function severityOf(
  rule: RuleId,
  direction: Direction,
  overrides: SeverityOverrides,
): Severity | "NONE" {
  const own = overrides[rule];
  const chosen = typeof own === "object" ? own[direction] : own;
  return chosen ?? diffRules[rule].severities[direction];
}

const rank = ({ severity }: Change): number => ["ERR", "WARN", "INFO"].indexOf(severity);
