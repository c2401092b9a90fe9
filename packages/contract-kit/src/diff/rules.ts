/** The writer of what a schema describes: clients a request, the service a response or an event. */
export type Direction = "request" | "response" | "event";

/**
 * ERR breaks somebody who was right before; WARN may break who relied on what was not promised; INFO
 * breaks nobody.
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
 * The possible changes of a schema, by ids that are never renamed. A request that is taken no longer breaks
 * clients; an answer or an event that may be what it never was breaks its readers.
 */
export const diffRules: Readonly<Record<RuleId, Rule>> = {
  "document-added": of("a document is new", "INFO", "INFO"),
  "document-removed": of("a document is gone", "ERR", "ERR"),
  "member-added-optional": of("an optional member is new", "INFO", "INFO"),
  "member-added-required": of("a required member is new", "ERR", "INFO"),
  "member-described": of("a member that could be anything has a schema now", "ERR", "INFO"),
  "member-removed-optional": of("an optional member is gone", "ERR", "WARN"),
  "member-removed-required": of("a required member is gone", "ERR", "ERR"),
  "member-became-optional": of("a member may be absent now", "INFO", "ERR"),
  "member-became-required": of("a member must be there now", "ERR", "INFO"),
  "object-closed": of("other members are refused now", "ERR", "INFO"),
  "object-opened": of("other members may be there now", "INFO", "INFO"),
  "type-narrowed": of("fewer types are taken", "ERR", "INFO"),
  "type-widened": of("more types may be there", "INFO", "ERR"),
  "type-changed": of("the type is another one", "ERR", "ERR"),
  "value-added": of("a value is new in a closed list", "INFO", "ERR"),
  "value-added-open": of("a value is new in a list that readers take as open", "INFO", "INFO"),
  "value-removed": of("a value is gone from a list", "ERR", "INFO"),
  "values-listed": of("only listed values are taken now", "ERR", "INFO"),
  "values-unlisted": of("any value may be there now", "INFO", "ERR"),
  "list-opened": of("readers must take a list as open now", "INFO", "ERR"),
  "list-closed": of("a list is closed for readers now", "INFO", "INFO"),
  "bound-tightened": of("a bound takes less", "ERR", "INFO"),
  "bound-loosened": of("a bound takes more", "INFO", "ERR"),
  "form-added": of("a pattern, format or step was added", "ERR", "INFO"),
  "form-removed": of("a pattern, format or step was removed", "INFO", "ERR"),
  "form-changed": of("a pattern, format or step takes other values", "ERR", "ERR"),
  "form-tightened": of("another pattern, format or step takes less", "ERR", "INFO"),
  "form-loosened": of("another pattern, format or step takes more", "INFO", "ERR"),
  "form-respelled": of("a pattern, format or step is written differently", "INFO", "INFO"),
  "value-refused": of(
    "a search found a value that one side accepts and the other refuses",
    "ERR",
    "ERR",
  ),
  "kind-added": of("a kind of a union is new", "INFO", "ERR"),
  "kind-removed": of("a kind of a union is gone", "ERR", "INFO"),
  "tag-changed": of("another member distinguishes the kinds of a union", "ERR", "ERR"),
  deprecated: of("it is deprecated now", "INFO", "INFO"),
};

/** One change, judged. */
export interface Change {
  readonly rule: RuleId;
  readonly direction: Direction;
  readonly severity: Severity;
  /** Document and JSON Pointer: in the new set, or in the old one where it is gone. */
  readonly place: string;
  /** The old and the new value. */
  readonly message: string;
}
