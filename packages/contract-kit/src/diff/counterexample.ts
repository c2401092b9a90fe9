import fc from "fast-check";
import { arbitrary } from "../derive/arbitrary.ts";
import { boundaries, negatives } from "../derive/cases.ts";
import { examples } from "../derive/example.ts";
import { accepts } from "../derive/faults.ts";
import { type LocatedSchema, type Schema, type SchemaSet, schemaSet } from "../derive/schema.ts";

/**
 * Searches for a value that one schema accepts and the other refuses: examples of the first, values at
 * its bounds, values that break one keyword of the second, and random values from a fixed seed.
 */
export function counterexample(
  accepting: LocatedSchema,
  refusing: LocatedSchema,
  samples = 60,
): { readonly value: unknown } | undefined {
  const refused = (value: unknown): boolean => !accepts(refusing, value);
  const near = (): readonly unknown[] =>
    examples(accepting, { optional: "present" })
      .filter((value) => accepts(accepting, value))
      .flatMap((value) => [value, ...boundaries(accepting, value).map((one) => one.value)]);
  const broken = (): readonly unknown[] =>
    examples(refusing, { optional: "present" }).flatMap((value) =>
      accepts(refusing, value) ? negatives(refusing, value).map((one) => one.value) : [],
    );
  const random = (): readonly unknown[] =>
    fc.sample(arbitrary(accepting), { seed: 1, numRuns: samples });
  for (const values of [near, broken, random])
    for (const value of values()) if (refused(value) && accepts(accepting, value)) return { value };
  return undefined;
}

/** The schemas as readers apply them: unknown members and new values of open lists are valid. */
export function readersOf(set: SchemaSet): SchemaSet {
  return schemaSet(
    Object.fromEntries(
      set.paths.map((path) => [
        path,
        JSON.parse(JSON.stringify(set.document(path).schema), opened) as Schema,
      ]),
    ),
  );
}

function opened(_name: string, part: unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  // The members of a schema are schemas or values; a value is not judged.
  const { oneOf, additionalProperties: _closed, enum: values, ...rest } = part as Schema;
  return {
    ...rest,
    ...(oneOf !== undefined && { anyOf: oneOf }),
    ...(values !== undefined && rest["x-open"] !== true && { enum: values }),
  };
}
