import type { Schema } from "./profiled-schemas.ts";

/**
 * Who reads a document: `"writer"`, who sends what it describes and what the service's tests validate, gets
 * closed schemas; `"reader"`, a partner, gets schemas that accept additions.
 */
export type Side = "writer" | "reader";

/** Titles of what partners write; it stays closed in documents for readers too. */
const WRITTEN_BY_PARTNERS: ReadonlySet<string> = new Set([
  "RefundRequest",
  "RefundAmount",
  "SubscribeRequest",
  "UnsubscribeRequest",
  "TokenRequest",
  "SubscriptionDetails",
  "NamedEvents",
  "EventCategories",
  "AllEvents",
]);

/** True if a partner reads what the schema with this title describes. */
export const isRead = (title: string): boolean => !WRITTEN_BY_PARTNERS.has(title);

// What other validators refuse, or judge by binary fractions: see `hinted`.
const HINTS: ReadonlySet<string> = new Set(["x-open", "discriminator", "multipleOf"]);

/** Begins a `$comment` with keywords that are only for tools that know them. */
export const HINT = "countersign ";

/**
 * A schema of standard keywords only, as each side may use it with any validator.
 *
 * For a writer the keywords that validators refuse or misjudge move into `$comment`, for this project's own
 * tools. For a reader objects accept other members, and an open list is a string whose description names
 * the known values; the kinds of a union then overlap, so that `oneOf` becomes `anyOf`.
 */
export function schemaFor(side: Side, schema: Schema): Schema {
  return mapSchema(schema, side === "writer" ? hinted : opened);
}

function hinted(part: Schema): Schema {
  const moved = Object.entries(part).filter(([name]) => HINTS.has(name));
  const rest = Object.fromEntries(Object.entries(part).filter(([name]) => !HINTS.has(name)));
  return moved.length === 0
    ? part
    : { $comment: HINT + JSON.stringify(Object.fromEntries(moved)), ...rest };
}

function opened(part: Schema): Schema {
  const {
    enum: values,
    additionalProperties,
    oneOf,
    description,
    ...rest
  } = Object.fromEntries(Object.entries(part).filter(([name]) => !HINTS.has(name))) as Schema & {
    readonly enum?: readonly unknown[];
  };
  const isOpen = part["x-open"] === true;
  const known = `Known values: ${values?.map((value) => `\`${String(value)}\``).join(", ") ?? ""}. Others may be added.`;
  const text = [description, ...(isOpen ? [known] : [])].filter((one) => typeof one === "string");
  return {
    ...rest,
    ...(text.length > 0 && { description: text.join(" ") }),
    ...(values !== undefined && !isOpen && { enum: values }),
    ...(additionalProperties === true && { additionalProperties }),
    ...(oneOf !== undefined && { anyOf: oneOf }),
  };
}

/** A copy of a schema, with every subschema replaced, innermost first. */
export function mapSchema(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, oneOf, anyOf } = schema as Schema & {
    readonly anyOf?: readonly Schema[];
  };
  const each = (parts: readonly Schema[]): Schema[] => parts.map((part) => mapSchema(part, change));
  return change({
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, mapSchema(member, change)]),
      ),
    }),
    ...(items && { items: mapSchema(items, change) }),
    ...(oneOf && { oneOf: each(oneOf) }),
    ...(anyOf && { anyOf: each(anyOf) }),
  });
}
