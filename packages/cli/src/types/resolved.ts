import type { Schema, Schemas } from "@countersign/service/internal";

const PREFIX = "#/components/schemas/";

/** The title that a reference leads to. */
export function titleOf({ $ref: ref }: Schema): string | undefined {
  return ref?.startsWith(PREFIX) === true ? ref.slice(PREFIX.length) : undefined;
}

/** A schema behind its references; what stands beside one holds over what it leads to. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const title = titleOf(schema);
  if (title === undefined) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolved(schemas[title] ?? {}, schemas), ...beside };
}
