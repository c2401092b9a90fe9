import type { DocumentPart } from "../documents/read-document.ts";

/**
 * The writer of what a schema describes: clients write requests, and receivers the answers to webhooks; the service writes
 * responses and events.
 */
export type Direction = DocumentPart["direction"];

/**
 * ERR breaks correct peers; WARN may break peers that relied on something not promised; INFO
 * breaks no peer.
 */
export type Severity = "ERR" | "WARN" | "INFO";

export interface Rule {
  /** The change, in words. */
  readonly title: string;
  readonly severities: Readonly<Record<Direction, Severity>>;
}

/** The title of each rule, and its severity in a request and in a response or an event. */
const table = {
  "part-added": ["a call, webhook, status or media type was added", "INFO", "INFO"],
  "part-removed": ["a call, webhook, status or media type was removed", "ERR", "ERR"],
  "member-added-optional": ["an optional member was added", "INFO", "INFO"],
  "member-added-required": ["a required member was added", "ERR", "INFO"],
  "member-described": ["a member without a schema now has one", "ERR", "INFO"],
  "member-undescribed": ["a required member no longer has a schema", "INFO", "ERR"],
  "member-removed-optional": ["an optional member was removed", "ERR", "WARN"],
  "member-removed-required": ["a required member was removed", "ERR", "ERR"],
  "member-became-optional": ["a required member became optional", "INFO", "ERR"],
  "member-became-required": ["an optional member became required", "ERR", "INFO"],
  "object-closed": ["unlisted members are refused now", "ERR", "INFO"],
  "object-opened": ["unlisted members are now allowed", "INFO", "INFO"],
  "type-narrowed": ["fewer types are accepted", "ERR", "INFO"],
  "type-widened": ["more types are accepted", "INFO", "ERR"],
  "type-changed": ["the type changed", "ERR", "ERR"],
  "value-added": ["a value was added to a closed list", "INFO", "ERR"],
  "value-added-open": ["a value was added to a list that is open for readers", "INFO", "INFO"],
  "value-removed": ["a value was removed from a list: it may have another name", "ERR", "WARN"],
  "values-listed": ["only listed values are accepted now", "ERR", "INFO"],
  "values-unlisted": ["any value is accepted now", "INFO", "ERR"],
  "list-opened": ["a list is open for readers now", "INFO", "ERR"],
  "list-closed": ["a list is closed for readers now", "INFO", "INFO"],
  "bound-tightened": ["a bound accepts fewer values", "ERR", "INFO"],
  "bound-loosened": ["a bound accepts more values", "INFO", "ERR"],
  "form-added": ["a pattern, format or step was added", "ERR", "INFO"],
  "form-removed": ["a pattern, format or step was removed", "INFO", "ERR"],
  "form-changed": ["a pattern, format or step accepts different values", "ERR", "ERR"],
  "form-tightened": ["another pattern, format or step accepts fewer values", "ERR", "INFO"],
  "form-loosened": ["another pattern, format or step accepts more values", "INFO", "ERR"],
  "map-described": ["the values of unlisted members now have a schema", "ERR", "INFO"],
  "map-undescribed": ["the values of unlisted members no longer have a schema", "INFO", "ERR"],
  "keyword-changed": ["a keyword changed whose effect is not compared", "WARN", "WARN"],
  "union-added": ["values must fit one of several kinds now", "ERR", "INFO"],
  "union-removed": ["values need not fit one of several kinds now", "INFO", "ERR"],
  "kind-added": ["a kind was added to a union", "INFO", "ERR"],
  "kind-removed": ["a kind was removed from a union", "ERR", "INFO"],
  "discriminator-changed": ["another member distinguishes the kinds of a union", "ERR", "ERR"],
  deprecated: ["it is deprecated now", "INFO", "INFO"],
} as const;

/** Never renamed, never given another meaning. `diffRules` has them all. */
export type RuleId = keyof typeof table;

/**
 * The possible changes of a schema, by ids that are never renamed. A request that is refused now breaks
 * clients; an answer or an event with new possibilities breaks its readers.
 */
export const diffRules: Readonly<Record<RuleId, Rule>> = Object.fromEntries(
  Object.entries(table).map(([rule, [title, request, response]]) => [
    rule,
    { title, severities: { request, response, event: response } },
  ]),
  // The table's names are the ids.
) as Record<RuleId, Rule>;

/** One change, judged. */
export interface Change {
  readonly rule: RuleId;
  readonly direction: Direction;
  readonly severity: Severity;
  /** Part or file, and JSON Pointer: in the new document, or in the old one if it is gone. */
  readonly place: string;
  /** The old and the new value. */
  readonly message: string;
}

/** A change at one place, without its severity. */
export interface RawChange {
  readonly rule: RuleId;
  readonly place: string;
  readonly message: string;
}

/** Reports what has changed, by default at the place that is compared. */
export type Report = (rule: RuleId, message: string, place?: string) => RawChange;
