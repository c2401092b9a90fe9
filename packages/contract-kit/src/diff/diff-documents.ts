import type { DocumentPart, EventsDocument } from "../documents/read-document.ts";
import type { LocatedSchema } from "../derive/schema.ts";
import { Comparison } from "./compare.ts";
import { type Change, diffRules, type Direction, type RawChange } from "./rules.ts";

export interface DiffOptions {
  /** True if readers take every list of values as open. Default false: a list is, if it says `x-open`. */
  readonly openEnums?: boolean;
}

/**
 * Returns every change between two documents, the worst first, with its severity for those who read what it describes,
 * or write it. The verdicts follow from the schemas.
 */
export function diffDocuments(
  old: EventsDocument,
  now: EventsDocument,
  { openEnums = false }: DiffOptions = {},
): readonly Change[] {
  // A pair of schemas means the same wherever the same side writes it.
  const comparisons = new Map<Direction, Comparison>();
  const [before, after] = [partsByName(old), partsByName(now)];
  const judged = [...new Set([...after.keys(), ...before.keys()])].flatMap((name) => {
    const [earlier, later] = [before.get(name), after.get(name)];
    const { direction } = (later ?? earlier) as DocumentPart;
    const judge = (change: RawChange): Change => ({
      ...change,
      direction,
      severity: diffRules[change.rule].severities[direction],
    });
    if (earlier === undefined || later === undefined) {
      const rule = later === undefined ? "part-removed" : "part-added";
      return [judge({ rule, place: `${name}#`, message: name })];
    }
    const [was, is] = [located(old, earlier), located(now, later)];
    const comparison = comparisons.get(direction) ?? new Comparison({ openEnums });
    comparisons.set(direction, comparison);
    return comparison.changes(was, is).map(judge);
  });
  const unique = new Map(judged.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].toSorted((one, other) => rank(one) - rank(other));
}

const partsByName = ({ parts }: EventsDocument): ReadonlyMap<string, DocumentPart> =>
  new Map(parts.map((part) => [part.name, part]));

const located = (source: EventsDocument, { name, schema }: DocumentPart): LocatedSchema => ({
  schema,
  source,
  place: `${name}#`,
});

const rank = ({ severity }: Change): number => ["ERR", "WARN", "INFO"].indexOf(severity);
