import { isRecord } from "../values.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { MergeContext, MergePart } from "./merge-schemas.ts";
import type { SourceNode } from "./source-files.ts";

/** The kinds of a union, each with its values of the discriminator. */
export function kindsOf(
  schema: MergePart["schema"],
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
      typeof to === "string" && targetOf(to, kind).place === place ? [value] : [],
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

/** A mapping has references, and names of schemas. */
function targetOf(to: string, from: SourceNode): SourceNode {
  const isName = /^[\w.-]+$/.test(to) && !/\.(?:json|ya?ml)$/.test(to);
  return from.follow(isName ? `#/components/schemas/${to}` : to);
}

/** The kinds of a schema that only its discriminator's mapping names: schemas that extend it. */
export function childrenOf(
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
    return context.merged([context.withMember(targetOf(to, node), member, values)]);
  });
}
