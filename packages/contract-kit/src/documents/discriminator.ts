import { isRecord } from "../values.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { MergeContext, MergePart } from "./merge-schemas.ts";
import { isReference, type SourceNode } from "./source-files.ts";

/** The kinds of a union, each with its values of the discriminator. */
export function kindsOf(
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
    const kind = targetOf(node, values.own[0] ?? "", to);
    return context.merged([context.withMember(kind, member, values)]);
  });
}
