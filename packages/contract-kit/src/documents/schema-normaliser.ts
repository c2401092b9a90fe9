import { stepsOf } from "@countersign/schemas";
import { isRecord, parseJson } from "../values.ts";
import { DocumentError } from "./document-error.ts";
import { type JsonSchema, nameOf, partsOf, referenceTo, typesIn } from "./json-schema.ts";
import { mergeSchemas, type MergeContext, type MergePart } from "./merge-schemas.ts";
import { nameOfFile, type SourceNode } from "./source-files.ts";

/** The parts of all schemas, each counted once: those of GitHub's 261 webhooks have 30,000. */
const MAX_PARTS = 1_000_000;
const MAX_DEPTH = 400;
/** Keywords that may be next to `$ref` without narrowing it. */
const ANNOTATION =
  /^(?:title|description|deprecated|examples?|default|readOnly|writeOnly|\$comment|summary|xml|externalDocs|x-(?!extensible-enum$).*)$/s;

// The prefix that the generator of `@countersign/schemas` writes.
const HINT = "countersign ";

/**
 * Brings schemas into one form: `allOf` and what is next to `$ref` are merged, each named schema is read once and
 * referred to as `#/schemas/NAME`, and recursion stays a reference.
 */
export class SchemaNormaliser {
  /** Without a prototype: a document may name a schema `constructor`. */
  readonly schemas = Object.create(null) as Record<string, JsonSchema>;
  /** The place of each named schema. */
  readonly places: Map<string, string> = new Map();
  readonly #names = new Map<string, string>();
  readonly #pending: (readonly [string, SourceNode])[] = [];
  readonly #ids = new WeakMap<object, number>();
  readonly #read = new Map<unknown, JsonSchema>();
  readonly #done = new Map<string, JsonSchema>();
  /** Schemas that are being read, with the name of each that refers to itself. */
  readonly #open = new Map<string, { name?: string }>();
  readonly #derived = new WeakMap<object, Map<string, SourceNode>>();
  readonly #context: MergeContext = {
    merged: (nodes) => this.#merged(nodes),
    withMember: (...kind) => this.#withMember(...kind),
  };
  #lastId = 0;
  #parts = 0;

  /** Returns a schema in the one form. @throws {DocumentError} See `readDocument`. */
  read(node: SourceNode): JsonSchema {
    const known = this.#read.get(node.value);
    if (known !== undefined) return known;
    const schema = this.#merged([node]);
    this.#read.set(node.value, schema);
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift())
      this.schemas[next[0]] = this.#merged([next[1]]);
    return schema;
  }

  /** @throws {DocumentError} `CS_DOCUMENT_REFERENCE_CIRCULAR`: a schema is made of itself. */
  refuseCircles(): void {
    const isSafe = new Set<string>();
    const visit = (name: string, above: readonly string[]): void => {
      if (isSafe.has(name)) return;
      if (above.includes(name)) throw circular(this.places.get(name) ?? name);
      const schema = this.schemas[name];
      for (const next of schema === undefined ? [] : inPlace(schema)) visit(next, [...above, name]);
      isSafe.add(name);
    };
    for (const name of Object.keys(this.schemas)) visit(name, []);
  }

  /** Names the schema at a place. */
  #named(node: SourceNode): string {
    const place = node.place;
    const known = this.#names.get(place);
    if (known !== undefined) return known;
    const name = this.#nameFor(node, wishFor(node));
    this.#names.set(place, name);
    this.#pending.push([name, node]);
    return name;
  }

  #nameFor(node: SourceNode, wish: string): string {
    let name = wish;
    for (let number = 2; this.places.has(name); number += 1) name = `${wish}_${number}`;
    this.places.set(name, node.place);
    return name;
  }

  /** The schema that accepts what all nodes accept. */
  #merged(nodes: readonly SourceNode[]): JsonSchema {
    const [first, ...others] = nodes;
    if (first === undefined) return {};
    const reference = others.length === 0 && this.#reference(first);
    if (reference) return reference;
    const key = nodes.map(({ value }) => this.#idOf(value)).join(" ");
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.name ??= this.#nameInside(first);
      return { $ref: referenceTo(open.name) };
    }
    const known = this.#done.get(key);
    if (known !== undefined) return this.#shared(key, known, first);
    this.#count(first);
    const state: { name?: string } = {};
    this.#open.set(key, state);
    const parts = this.#flattened(nodes);
    const isAlone = others.length === 0 && parts.length === 1 && parts[0]?.node === first;
    const schema = mergeSchemas(parts, this.#context, isAlone);
    this.#open.delete(key);
    const result = state.name === undefined ? schema : { $ref: referenceTo(state.name) };
    if (state.name !== undefined) this.schemas[state.name] = schema;
    this.#done.set(key, result);
    return result;
  }

  /** Names a schema that is used a second time: written out each time, a document could grow without end. */
  #shared(key: string, schema: JsonSchema, node: SourceNode): JsonSchema {
    if (schema.$ref !== undefined || partsOf(schema).length === 0) return schema;
    const name = this.#nameInside(node);
    this.schemas[name] = schema;
    const reference = { $ref: referenceTo(name) };
    this.#done.set(key, reference);
    return reference;
  }

  /** A schema that only refers to another one, with annotations; also as the only one of `allOf`. */
  #reference(node: SourceNode): JsonSchema | undefined {
    if (!isRecord(node.value)) return undefined;
    const { $ref: reference, allOf, ...rest } = node.value;
    if (!Object.keys(rest).every((keyword) => ANNOTATION.test(keyword))) return undefined;
    const [only, ...others] = Array.isArray(allOf) ? (allOf as readonly unknown[]) : [];
    let target: JsonSchema | undefined;
    if (allOf === undefined && typeof reference === "string")
      target = { $ref: referenceTo(this.#named(node.follow(reference))) };
    else if (reference === undefined && others.length === 0)
      target = this.#reference(node.inside(only, "allOf", 0));
    if (target === undefined) return undefined;
    const { title, description, deprecated } = rest;
    return {
      ...target,
      ...(typeof title === "string" && { title }),
      ...(typeof description === "string" && { description }),
      ...(deprecated === true && { deprecated }),
    };
  }

  /** The nodes without `$ref` and `allOf`, and what these name; the outermost first. */
  #flattened(nodes: readonly SourceNode[]): readonly MergePart[] {
    const parts: MergePart[] = [];
    const seen = new Set<unknown>();
    const visit = (node: SourceNode, above: readonly unknown[]): void => {
      if (above.includes(node.value)) throw circular(node.place);
      if (above.length > MAX_DEPTH) throw tooDeep(node);
      if (seen.has(node.value)) return;
      seen.add(node.value);
      const schema = schemaAt(node);
      const { $ref: reference, allOf, nullable, ...rest } = schema;
      // 3.0: nullable without a type. 3.1: what converters make of it next to allOf, which would accept nothing.
      const isNullable = nullable === true && schema["type"] === undefined;
      if (isNullable || (typesIn(schema["type"]) === "null" && (reference ?? allOf) !== undefined))
        return visit(this.#orNull(node), above);
      // 3.0: `nullable` adds null to the type next to it.
      const own = nullable === true ? withNull(rest) : rest;
      if (Object.keys(own).length > 0) parts.push({ node, schema: own });
      if (typeof reference === "string") visit(node.follow(reference), [...above, node.value]);
      if (Array.isArray(allOf))
        for (const [index, part] of (allOf as readonly unknown[]).entries())
          visit(node.inside(part, "allOf", index), [...above, node.value]);
    };
    for (const node of nodes) visit(node, []);
    return parts;
  }

  /** A schema, or null. */
  #orNull(node: SourceNode): SourceNode {
    return this.#derive(node, "null", () => {
      const { nullable: _, type: __, ...rest } = node.value as Readonly<Record<string, unknown>>;
      return { anyOf: [rest, { type: "null" }] };
    });
  }

  /** A kind of a union, with the values that its discriminator gives it. */
  #withMember(...[node, member, { own, all }]: Parameters<MergeContext["withMember"]>): SourceNode {
    const lists = this.#flattened([node]).flatMap(({ schema }): (readonly unknown[])[] => {
      const part = isRecord(schema["properties"]) ? schema["properties"][member] : undefined;
      if (!isRecord(part)) return [];
      if ("const" in part) return [[part["const"]]];
      return Array.isArray(part["enum"]) ? [part["enum"]] : [];
    });
    // A value that no kind has by the discriminator is the schema's own.
    const isOwn = (value: unknown): boolean =>
      own.some((one) => one === value) || !all.some((one) => one === value);
    const left = lists.map((list) => list.filter(isOwn));
    if (left.some(({ length }, index) => length === 0 || length === lists[index]?.length))
      return node;
    const [values = own] = left;
    const { $ref: reference } = schemaAt(node);
    return this.#derive(node, JSON.stringify([member, values]), () => ({
      ...(typeof reference === "string" && { title: wishFor(node.follow(reference)) }),
      allOf: [node.value],
      type: "object",
      properties: { [member]: values.length === 1 ? { const: values[0] } : { enum: values } },
      required: [member],
    }));
  }

  /** The same object for the same schema, which recursion is recognized by. */
  #derive(node: SourceNode, key: string, make: () => object): SourceNode {
    const all = this.#derived.get(node.value as object) ?? new Map<string, SourceNode>();
    this.#derived.set(node.value as object, all);
    const known = all.get(key) ?? node.with(make());
    all.set(key, known);
    return known;
  }

  #idOf(value: unknown): number {
    if (typeof value !== "object" || value === null) return value === false ? 0 : -1;
    const known = this.#ids.get(value) ?? (this.#lastId += 1);
    this.#ids.set(value, known);
    return known;
  }

  #nameInside(node: SourceNode): string {
    const names = node.pointer
      .split("/")
      .filter((step) => !/^(?:|components|schemas|properties|items|allOf|\d+)$/.test(step));
    return this.#nameFor(node, names.slice(-2).join("_") || node.file);
  }

  #count(node: SourceNode): void {
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) {
      const message = `${node.place}: the document has more than ${MAX_PARTS} schemas when allOf is merged`;
      throw new DocumentError("CS_DOCUMENT_TOO_LARGE", message);
    }
    if (this.#open.size > MAX_DEPTH) throw tooDeep(node);
  }
}

const circular = (place: string): DocumentError =>
  new DocumentError(
    "CS_DOCUMENT_REFERENCE_CIRCULAR",
    `${place}: the schema's $ref or allOf leads back to itself, so it describes nothing`,
  );

const tooDeep = (node: SourceNode): DocumentError =>
  new DocumentError(
    "CS_DOCUMENT_TOO_LARGE",
    `${node.place.slice(0, 200)}…: schemas are nested more than ${MAX_DEPTH} deep`,
  );

/** The named schemas that accept or refuse the same value as this one. */
function inPlace(schema: JsonSchema): readonly string[] {
  if (schema.$ref !== undefined) return [nameOf(schema.$ref)];
  return partsOf(schema)
    .filter(([[keyword]]) =>
      ["oneOf", "anyOf", "allOf", "not", "if", "then", "else"].includes(String(keyword)),
    )
    .flatMap(([, part]) => inPlace(part));
}

/** The last name of a place. */
function wishFor({ file, pointer }: SourceNode): string {
  return stepsOf(`/${pointer}`).at(-1) || nameOfFile(file);
}

/** @throws {DocumentError} `CS_DOCUMENT_INVALID` */
function schemaAt(node: SourceNode): Readonly<Record<string, unknown>> {
  const { value } = node;
  if (value === true) return {};
  if (value === false) return { not: {} };
  if (!isRecord(value) || !["string", "undefined"].includes(typeof value["$ref"]))
    throw new DocumentError("CS_DOCUMENT_INVALID", `${node.place}: expected a schema`);
  const comment = value["$comment"];
  if (typeof comment !== "string" || !comment.startsWith(HINT)) return value;
  // Keywords of a shipped schema that other validators reject.
  const hints = parseJson(comment.slice(HINT.length));
  return isRecord(hints) ? { ...value, ...hints } : value;
}

function withNull(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { type, enum: values } = schema;
  return {
    ...schema,
    type: [...new Set([type, "null"].flat())],
    ...(Array.isArray(values) && { enum: [...new Set([...(values as readonly unknown[]), null])] }),
  };
}
