/** The writer of what a schema describes: clients a request, the service a response or an event. */
export type Direction = "request" | "response" | "event";

/**
 * ERR breaks correct peers; WARN may break peers that relied on something not promised; INFO
 * breaks no peer.
 */
export type Severity = "ERR" | "WARN" | "INFO";

/** Never renamed, never given another meaning: files of severities name them. */
export type RuleId =
  | "document-added"
  | "document-removed"
  | "member-added-optional"
  | "member-added-required"
  | "member-described"
  | "member-removed-optional"
  | "member-removed-required"
  | "member-became-optional"
  | "member-became-required"
  | "object-closed"
  | "object-opened"
  | "type-narrowed"
  | "type-widened"
  | "type-changed"
  | "value-added"
  | "value-added-open"
  | "value-removed"
  | "values-listed"
  | "values-unlisted"
  | "list-opened"
  | "list-closed"
  | "bound-tightened"
  | "bound-loosened"
  | "form-added"
  | "form-removed"
  | "form-changed"
  | "form-tightened"
  | "form-loosened"
  | "form-respelled"
  | "value-refused"
  | "kind-added"
  | "kind-removed"
  | "tag-changed"
  | "deprecated";

export interface Rule {
  /** The change, in words. */
  readonly title: string;
  readonly severities: Readonly<Record<Direction, Severity>>;
}

const of = (title: string, request: Severity, response: Severity, event = response): Rule => ({
  title,
  severities: { request, response, event },
});

/**
 * The possible changes of a schema, by ids that are never renamed. A request that is no longer accepted breaks
 * clients; an answer or an event with new possibilities breaks its readers.
 */
export const diffRules: Readonly<Record<RuleId, Rule>> = {
  "document-added": of("a document was added", "INFO", "INFO"),
  "document-removed": of("a document was removed", "ERR", "ERR"),
  "member-added-optional": of("an optional member was added", "INFO", "INFO"),
  "member-added-required": of("a required member was added", "ERR", "INFO"),
  "member-described": of("a member without a schema now has one", "ERR", "INFO"),
  "member-removed-optional": of("an optional member was removed", "ERR", "WARN"),
  "member-removed-required": of("a required member was removed", "ERR", "ERR"),
  "member-became-optional": of("a required member became optional", "INFO", "ERR"),
  "member-became-required": of("an optional member became required", "ERR", "INFO"),
  "object-closed": of("unlisted members are no longer allowed", "ERR", "INFO"),
  "object-opened": of("unlisted members are now allowed", "INFO", "INFO"),
  "type-narrowed": of("fewer types are accepted", "ERR", "INFO"),
  "type-widened": of("more types are accepted", "INFO", "ERR"),
  "type-changed": of("the type changed", "ERR", "ERR"),
  "value-added": of("a value was added to a closed list", "INFO", "ERR"),
  "value-added-open": of("a value was added to a list that is open for readers", "INFO", "INFO"),
  "value-removed": of("a value was removed from a list", "ERR", "INFO"),
  "values-listed": of("only listed values are accepted now", "ERR", "INFO"),
  "values-unlisted": of("any value is accepted now", "INFO", "ERR"),
  "list-opened": of("a list is open for readers now", "INFO", "ERR"),
  "list-closed": of("a list is closed for readers now", "INFO", "INFO"),
  "bound-tightened": of("a bound accepts fewer values", "ERR", "INFO"),
  "bound-loosened": of("a bound accepts more values", "INFO", "ERR"),
  "form-added": of("a pattern, format or step was added", "ERR", "INFO"),
  "form-removed": of("a pattern, format or step was removed", "INFO", "ERR"),
  "form-changed": of("a pattern, format or step accepts different values", "ERR", "ERR"),
  "form-tightened": of("another pattern, format or step accepts fewer values", "ERR", "INFO"),
  "form-loosened": of("another pattern, format or step accepts more values", "INFO", "ERR"),
  "form-respelled": of("a pattern, format or step is written differently", "INFO", "INFO"),
  "value-refused": of(
    "a search found a value that one side accepts and the other refuses",
    "ERR",
    "ERR",
  ),
  "kind-added": of("a kind was added to a union", "INFO", "ERR"),
  "kind-removed": of("a kind was removed from a union", "ERR", "INFO"),
  "tag-changed": of("another member distinguishes the kinds of a union", "ERR", "ERR"),
  deprecated: of("it is deprecated now", "INFO", "INFO"),
};

/** One change, judged. */
export interface Change {
  readonly rule: RuleId;
  readonly direction: Direction;
  readonly severity: Severity;
  /** Document and JSON Pointer: in the new set, or in the old one if it is gone. */
  readonly place: string;
  /** The old and the new value. */
  readonly message: string;
}
