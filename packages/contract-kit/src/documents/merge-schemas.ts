import { isRecord } from "../values.ts";
import { commonTypes, type JsonSchema, typesIn } from "./json-schema.ts";
import { isReference, type SourceNode } from "./source-files.ts";

/** A schema without `$ref`, `allOf` and `nullable`, as it is written. */
export interface MergePart {
  readonly node: SourceNode;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface MergeContext {
  /** The schema that accepts what all nodes accept. */
  readonly merged: (nodes: readonly SourceNode[]) => JsonSchema;
  /** A kind of a union that has one of some values in a member, and none of the other kinds' values. */
  readonly withMember: (
    node: SourceNode,
    member: string,
    values: { readonly own: readonly string[]; readonly all: readonly string[] },
  ) => SourceNode;
}

type Draft = { -readonly [keyword in keyof JsonSchema]: JsonSchema[keyword] };

/**
 * Merges parts that all apply to the same value; annotations of the first part win. `additionalProperties: false` in
 * one part closes the merged object, which is what authors mean: as JSON Schema has it, the members of the other parts
 * would be refused. Keywords that JSON Schema does not know refuse nothing, and are left out.
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
    for (const [keyword, value] of Object.entries(part.schema)) merge.add(part, keyword, value);
  }
  return merge.result();
}

const BOUND = /^m(?:in|ax)(?:imum|Length|Items|Properties)$/;
/** A second one with another value is kept next to the first. */
const KEPT = new Set("pattern multipleOf minContains maxContains dependentRequired".split(" "));

class Merge {
  readonly #context: MergeContext;
  readonly #draft: Draft = {};
  /** What cannot be merged. */
  readonly #rest: JsonSchema[] = [];
  /** Schemas that are merged at the end: of a keyword, or of its members by name. */
  readonly #one = new Map<string, readonly SourceNode[]>();
  readonly #members = new Map<string, Map<string, readonly SourceNode[]>>();

  constructor(context: MergeContext) {
    this.#context = context;
  }

  add(part: MergePart, keyword: string, value: unknown): void {
    const { node, schema } = part;
    const draft = this.#draft;
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    const items = list.map((item, index) => node.inside(item, keyword, index));
    const here = node.inside(value, keyword);
    if (BOUND.test(keyword)) return this.#bound(schema, keyword, value);
    if (KEPT.has(keyword)) return this.#set(keyword, value);
    switch (keyword) {
      case "title":
      case "description":
      case "format":
        if (typeof value === "string") draft[keyword] ??= value;
        return;
      case "deprecated":
      case "uniqueItems":
      case "x-open":
        if (value === true) draft[keyword] = true;
        return;
      case "exclusiveMinimum":
      case "exclusiveMaximum":
        if (typeof value === "number") this.#set(keyword, value);
        return;
      case "not":
      case "contains":
        return this.#set(keyword, this.#merged(here));
      case "if":
        return this.#condition(node, schema);
      case "oneOf":
      case "anyOf":
        return this.#set(keyword, kindsOf(part, items, this.#context).map(this.#merged));
      case "prefixItems":
        return this.#set(keyword, items.map(this.#merged));
      case "additionalProperties":
        if (value === false) draft.additionalProperties = false;
        else if (value !== true) this.#collect(keyword, here);
        return;
      case "items":
        // 2019 and before: 2020 calls a list `prefixItems`.
        if (Array.isArray(value)) this.#set("prefixItems", items.map(this.#merged));
        else this.#collect(keyword, here);
        return;
      case "unevaluatedProperties":
      case "propertyNames":
      case "unevaluatedItems":
        return this.#collect(keyword, here);
      case "properties":
      case "patternProperties":
      case "dependentSchemas":
        if (isRecord(value)) this.#collectMembers(keyword, here, value);
        return;
      case "const":
        return setValues(draft, [value]);
      case "enum":
        return setValues(draft, list);
      case "x-extensible-enum":
        draft["x-open"] = true;
        return setValues(draft, list);
      case "example":
        draft.examples ??= [value];
        return;
      case "examples":
        draft.examples ??= isRecord(value) ? Object.values(value) : list;
        return;
      case "type": {
        const types = typesIn(value);
        if (types !== undefined) draft.type = commonTypes(draft.type, types) ?? types;
        return;
      }
      case "required":
        // A boolean, of a draft, says nothing about members.
        if (Array.isArray(value))
          draft.required = [...new Set([...(draft.required ?? []), ...list.map(String)])];
        return;
      case "discriminator":
        if (isRecord(value) && typeof value["propertyName"] === "string")
          draft.discriminator ??= { propertyName: value["propertyName"] };
        return;
      default:
    }
  }

  result(): JsonSchema {
    const draft = this.#draft;
    for (const [keyword, nodes] of this.#one)
      if (keyword !== "additionalProperties" || draft.additionalProperties !== false)
        Object.assign(draft, { [keyword]: this.#context.merged(nodes) });
    for (const [keyword, members] of this.#members) {
      const merged = [...members].map(([name, nodes]) => [name, this.#context.merged(nodes)]);
      Object.assign(draft, { [keyword]: Object.fromEntries(merged) as unknown });
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

  readonly #merged = (node: SourceNode): JsonSchema => this.#context.merged([node]);

  #collect(keyword: string, node: SourceNode): void {
    this.#one.set(keyword, [...(this.#one.get(keyword) ?? []), node]);
  }

  #collectMembers(keyword: string, at: SourceNode, members: object): void {
    const all = this.#members.get(keyword) ?? new Map<string, readonly SourceNode[]>();
    this.#members.set(keyword, all);
    for (const [name, part] of Object.entries(members))
      all.set(name, [...(all.get(name) ?? []), at.inside(part, name)]);
  }

  /** Sets a keyword; a second one with another value is kept next to it. */
  #set(keyword: string, value: unknown): void {
    const known = this.#draft[keyword as keyof Draft];
    if (known === undefined) Object.assign(this.#draft, { [keyword]: value });
    else if (JSON.stringify(known) !== JSON.stringify(value)) this.#rest.push({ [keyword]: value });
  }

  #bound(schema: MergePart["schema"], keyword: string, value: unknown): void {
    if (typeof value !== "number") return;
    const exclusive = keyword.replace(/^m(in|ax)imum$/, "exclusiveM$1imum");
    // 3.0: a boolean makes the bound next to it exclusive.
    const name = (schema[exclusive] === true ? exclusive : keyword) as "minimum";
    const known = this.#draft[name] ?? value;
    this.#draft[name] = /min/i.test(keyword) ? Math.max(known, value) : Math.min(known, value);
  }

  #condition(node: SourceNode, schema: MergePart["schema"]): void {
    const branches = ["if", "then", "else"]
      .filter((keyword) => schema[keyword] !== undefined)
      .map((keyword) => [keyword, this.#merged(node.inside(schema[keyword], keyword))]);
    const condition = Object.fromEntries(branches) as JsonSchema;
    if (this.#draft.if === undefined) Object.assign(this.#draft, condition);
    else this.#rest.push(condition);
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

/** The kinds of a union, each with its values of the discriminator. */
function kindsOf(
  { node, schema }: MergePart,
  kinds: readonly SourceNode[],
  context: MergeContext,
): readonly SourceNode[] {
  const { discriminator } = schema;
  if (!isRecord(discriminator) || typeof discriminator["propertyName"] !== "string") return kinds;
  const member = discriminator["propertyName"];
  const mapping = isRecord(discriminator["mapping"]) ? discriminator["mapping"] : {};
  const valued = kinds.map((kind): readonly string[] => {
    const reference = isRecord(kind.value) ? kind.value["$ref"] : undefined;
    if (typeof reference !== "string") return [];
    const place = kind.follow(reference).place;
    const mapped = Object.entries(mapping).flatMap(([value, to]) =>
      typeof to === "string" && targetOf(node, value, to).place === place ? [value] : [],
    );
    // Without a mapping the value is the name of the schema.
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    return mapped.length > 0 ? mapped : [name];
  });
  const all = valued.flat();
  return kinds.map((kind, index) => {
    const own = valued[index] ?? [];
    return own.length === 0 ? kind : context.withMember(kind, member, { own, all });
  });
}

/** Follows a value's mapping: a reference, or the name of a schema. */
function targetOf(union: SourceNode, value: string, to: string): SourceNode {
  const from = union.inside(to, "discriminator", "mapping", value);
  const reference = isReference(to) ? to : `#/components/schemas/${to}`;
  return from.follow(reference, "discriminator mapping");
}

/** The kinds of a schema that only its discriminator's mapping names: schemas that extend it. */
function childrenOf(
  { node, schema }: MergePart,
  context: MergeContext,
): readonly JsonSchema[] | undefined {
  const { discriminator, oneOf, anyOf } = schema;
  if (!isRecord(discriminator) || oneOf !== undefined || anyOf !== undefined) return undefined;
  const { mapping, propertyName: member } = discriminator;
  if (!isRecord(mapping) || typeof member !== "string") return undefined;
  const kinds = Map.groupBy(Object.entries(mapping), ([, to]) => String(to));
  return [...kinds].map(([to, entries]) => {
    const values = { own: entries.map(([value]) => value), all: Object.keys(mapping) };
    const kind = targetOf(node, values.own[0] ?? "", to);
    return context.merged([context.withMember(kind, member, values)]);
  });
}
