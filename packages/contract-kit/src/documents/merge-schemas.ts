import { isRecord } from "../values.ts";
import { commonTypes, type JsonSchema, typesIn } from "./json-schema.ts";
import { childrenOf, kindsOf } from "./discriminator.ts";
import { inside, type SourceNode } from "./source-files.ts";

/** A schema without `$ref`, `allOf` and `nullable`, as it is written. */
export interface MergePart {
  readonly node: SourceNode;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface MergeContext {
  /** The schema that accepts what all nodes accept. */
  readonly merged: (nodes: readonly SourceNode[]) => JsonSchema;
  /** A kind of a union that has one of some values in a member. */
  readonly withMember: (node: SourceNode, member: string, values: readonly string[]) => SourceNode;
  readonly target: (reference: string, from: SourceNode) => SourceNode;
  readonly ignore: (keyword: string, node: SourceNode) => void;
}

type Draft = { -readonly [keyword in keyof JsonSchema]: JsonSchema[keyword] };
type Nodes = Map<string, readonly SourceNode[]>;

/** The form of each keyword's value, which decides how two of them are merged. */
const FORMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    text: "title description format",
    true: "deprecated uniqueItems x-open",
    bound: "minLength minimum minItems minProperties maxLength maximum maxItems maxProperties",
    // The first one counts, and others that differ are kept in `allOf`.
    value: "pattern multipleOf minContains maxContains dependentRequired",
    schema: "not contains if",
    mergeable: "additionalProperties unevaluatedProperties propertyNames items unevaluatedItems",
    list: "prefixItems oneOf anyOf",
    members: "properties patternProperties dependentSchemas",
    values: "const enum x-extensible-enum",
    // Read with other keywords.
    place: "then else $schema $id $anchor $comment $defs definitions",
  }).flatMap(([form, keywords]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/**
 * Merges parts that all apply to the same value; annotations of the first part win. `additionalProperties: false` in
 * one part closes the merged object, which is what authors mean: as JSON Schema has it, the members of the other parts
 * would be refused.
 *
 * @param isAlone False for a part of `allOf`, where a discriminator says which schemas extend it.
 */
export function mergeSchemas(
  parts: readonly MergePart[],
  context: MergeContext,
  isAlone: boolean,
): JsonSchema {
  const merge = new Merge(context);
  for (const part of parts) {
    const children = isAlone ? childrenOf(part, context) : undefined;
    if (children !== undefined) return { oneOf: children };
    for (const [keyword, value] of Object.entries(part.schema))
      if (!merge.add(part, keyword, value)) context.ignore(keyword, part.node);
  }
  return merge.result();
}

class Merge {
  readonly #context: MergeContext;
  readonly #draft: Draft = {};
  /** What cannot be merged. */
  readonly #rest: JsonSchema[] = [];
  /** Schemas by keyword and member that are merged at the end. */
  readonly #inner = new Map<string, Nodes>();

  constructor(context: MergeContext) {
    this.#context = context;
  }

  /** @returns False if the keyword means nothing here. */
  add(from: MergePart, keyword: string, value: unknown): boolean {
    const draft = this.#draft;
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const at = (...steps: readonly (string | number)[]): SourceNode => {
      const [step] = steps;
      const part = step === undefined ? value : (value as Record<string | number, unknown>)[step];
      return inside(from.node, part, keyword, ...steps);
    };
    const each = (nodes: readonly SourceNode[]): readonly JsonSchema[] =>
      nodes.map((node) => this.#context.merged([node]));
    switch (FORMS.get(keyword) ?? "special") {
      case "text":
        if (typeof value === "string") this.#set(keyword, value, "keep");
        return true;
      case "true":
        if (value === true) this.#set(keyword, value, "keep");
        return true;
      case "bound":
        return this.#bound(from, keyword, value);
      case "value":
        if (value !== undefined) this.#set(keyword, value);
        return true;
      case "schema":
        if (keyword === "if") return this.#condition(from);
        this.#set(keyword, this.#context.merged([at()]));
        return true;
      case "mergeable":
        if (keyword === "additionalProperties" && typeof value === "boolean") {
          if (!value) draft.additionalProperties = false;
        } else if (Array.isArray(value)) {
          // 2019 and before: 2020 calls it `prefixItems`.
          this.#set("prefixItems", each(list.map((_, index) => at(index))));
        } else this.#collect(keyword, "", at());
        return true;
      case "list": {
        const nodes = list.map((_, index) => at(index));
        const isUnion = keyword !== "prefixItems";
        this.#set(keyword, each(isUnion ? kindsOf(from.schema, nodes, this.#context) : nodes));
        return true;
      }
      case "members":
        if (!isRecord(value)) return false;
        for (const name of Object.keys(value)) this.#collect(keyword, name, at(name));
        return true;
      case "values":
        setValues(draft, keyword === "const" ? [value] : list);
        if (keyword === "x-extensible-enum") draft["x-open"] = true;
        return true;
      case "place":
        return true;
      default:
        return this.#special(keyword, value, list);
    }
  }

  result(): JsonSchema {
    const draft = this.#draft;
    for (const [keyword, nodes] of this.#inner) {
      if (keyword === "additionalProperties" && draft.additionalProperties === false) continue;
      const merged = [...nodes].map(([name, same]) => [name, this.#context.merged(same)] as const);
      // A keyword with one schema has it under an empty name.
      const isOne = FORMS.get(keyword) === "mergeable";
      Object.assign(draft, { [keyword]: isOne ? merged[0]?.[1] : Object.fromEntries(merged) });
    }
    if (this.#rest.length > 0) draft.allOf = this.#rest;
    // No type, or no value, is in all parts.
    if (draft.type?.length === 0 || draft.enum?.length === 0) return { not: {} };
    if (draft.type !== undefined || draft.const !== undefined || draft.enum !== undefined)
      return draft;
    if (draft.properties !== undefined || draft.additionalProperties !== undefined)
      draft.type = "object";
    else if (draft.items !== undefined || draft.prefixItems !== undefined) draft.type = "array";
    return draft;
  }

  #collect(keyword: string, name: string, node: SourceNode): void {
    const nodes: Nodes = this.#inner.get(keyword) ?? new Map();
    this.#inner.set(keyword, nodes.set(name, [...(nodes.get(name) ?? []), node]));
  }

  /** Sets a keyword; a second one with another value is kept next to it. */
  #set(keyword: string, value: unknown, others: "keep" | "add" = "add"): void {
    const known = this.#draft[keyword as keyof JsonSchema];
    if (known === undefined) Object.assign(this.#draft, { [keyword]: value });
    else if (others === "add" && JSON.stringify(known) !== JSON.stringify(value))
      this.#rest.push({ [keyword]: value });
  }

  #bound({ schema }: MergePart, keyword: string, value: unknown): boolean {
    if (typeof value !== "number") return false;
    const exclusive = keyword.replace(/^m(in|ax)imum$/, "exclusiveM$1imum");
    // 3.0: a boolean makes the bound next to it exclusive.
    const name = (schema[exclusive] === true ? exclusive : keyword) as "minimum";
    const isLeast = /min/i.test(keyword);
    const known = this.#draft[name] ?? value;
    this.#draft[name] = isLeast ? Math.max(known, value) : Math.min(known, value);
    return true;
  }

  #condition({ node, schema }: MergePart): boolean {
    const branches = ["if", "then", "else"].flatMap((keyword) =>
      schema[keyword] === undefined
        ? []
        : [[keyword, this.#context.merged([inside(node, schema[keyword], keyword)])] as const],
    );
    const condition: JsonSchema = Object.fromEntries(branches);
    if (this.#draft.if === undefined) Object.assign(this.#draft, condition);
    else this.#rest.push(condition);
    return true;
  }

  #special(keyword: string, value: unknown, list: readonly unknown[]): boolean {
    const draft = this.#draft;
    switch (keyword) {
      case "exclusiveMinimum":
      case "exclusiveMaximum":
        if (typeof value === "number") this.#set(keyword, value);
        return true;
      case "example":
        draft.examples ??= [value];
        return true;
      case "examples":
        draft.examples ??= isRecord(value) ? Object.values(value) : list;
        return true;
      case "type": {
        const types = typesIn(value);
        if (types !== undefined) draft.type = commonTypes(draft.type, types) ?? types;
        return types !== undefined;
      }
      case "required":
        // A boolean, of a draft, says nothing about members.
        if (Array.isArray(value))
          draft.required = [...new Set([...(draft.required ?? []), ...list.map(String)])];
        return Array.isArray(value);
      case "discriminator":
        if (!isRecord(value) || typeof value["propertyName"] !== "string") return false;
        draft.discriminator ??= { propertyName: value["propertyName"] };
        return true;
      default:
        return false;
    }
  }
}

function setValues(draft: Draft, values: readonly unknown[]): void {
  const known = draft.const === undefined ? draft.enum : [draft.const];
  const texts = new Set(values.map((one) => JSON.stringify(one)));
  const both = known?.filter((one) => texts.has(JSON.stringify(one))) ?? values;
  delete draft.const;
  delete draft.enum;
  if (both.length === 1 && both[0] !== undefined) draft.const = both[0];
  else draft.enum = both;
}
