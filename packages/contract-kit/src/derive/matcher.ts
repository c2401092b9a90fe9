import { isRecord } from "../values.ts";
import { typesOf } from "../documents/json-schema.ts";
import { itemsOf, type LocatedSchema, membersOf, resolve } from "./schema.ts";
import { faultsOf, kindOf } from "./validity.ts";

/** A matcher in the format of Pact's builders, so that deriving it does not need Pact; or an object of them. */
export type Matcher = Readonly<Record<string, unknown>>;

const TIMESTAMP = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`;

/**
 * Pact's matcher of a value, along an example: the members that the example has, each with its type,
 * its form or its values. What Pact cannot express (bounds, lengths, closed objects, optional members, unions)
 * is left to the schemas' validators. A consumer names what it reads, so the example decides, not the
 * schema.
 *
 * @param sample A value that the schema takes; of a list its first item speaks for all.
 * @throws {TypeError} The schema does not take the example.
 */
export function matcher(located: LocatedSchema, sample: unknown): Matcher {
  const at = resolve(located);
  const { pattern, format, enum: values, minItems = 0 } = at.schema;
  const kind = kindOf(at, sample);
  if (kind !== undefined) return matcher(kind, sample);
  // The consumer does not read members that the example lacks.
  if (faultsOf(at, sample).some((keyword) => keyword !== "required"))
    throw new TypeError(`${at.place} does not take the example`);
  const matched = (type: string, more: object = {}): Matcher => {
    return { "pact:matcher:type": type, value: sample, ...more };
  };
  if ("const" in at.schema) return matched("equality");
  if (values !== undefined) {
    const texts = values.filter((value) => typeof value === "string");
    if (texts.length < values.length) return matched("equality");
    const escaped = texts.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return matched("regex", { regex: `^(${escaped.join("|")})$` });
  }
  if (sample === null) return matched("null");
  if (typeof sample === "number")
    // Not `decimal`: it refuses whole numbers, and 10.00 arrives as 10.
    return matched(typesOf(at.schema).includes("integer") ? "integer" : "number");
  if (typeof sample === "string") {
    // Patterns are anchored in the subset, as Pact's are at any rate.
    const regex = pattern ?? (format === "date-time" ? TIMESTAMP : undefined);
    return regex === undefined ? matched("type") : matched("regex", { regex });
  }
  if (Array.isArray(sample)) {
    const items = itemsOf(at);
    const [first] = sample as readonly unknown[];
    if (items === undefined || first === undefined) return matched("type");
    const min = Math.max(1, minItems);
    return matched("type", {
      value: Array.from({ length: min }, () => matcher(items, first)),
      min,
    });
  }
  if (!isRecord(sample)) return matched("type");
  const members = new Map(membersOf(at));
  const matchers = Object.entries(sample).map(([name, value]): readonly [string, Matcher] => {
    const member = members.get(name);
    return [name, member ? matcher(member, value) : { "pact:matcher:type": "type", value }];
  });
  return Object.fromEntries(matchers);
}
