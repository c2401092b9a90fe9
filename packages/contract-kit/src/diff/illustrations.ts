import fc from "fast-check";
import { arbitrary } from "../derive/arbitrary.ts";
import { boundaries } from "../derive/cases.ts";
import { examples } from "../derive/example.ts";
import type { JsonSchema } from "../documents/json-schema.ts";
import type { LocatedSchema } from "../derive/schema.ts";
import { accepts, closureOf } from "../derive/validity.ts";
import { isRecord } from "../values.ts";
import type { Change } from "./rules.ts";

/** Looks for values that one side sends and the other refuses, as far as its budget goes. */
export class Illustrations {
  #budget: number;
  #missing = 0;

  constructor(budget: number) {
    this.#budget = budget;
  }

  get note(): string | undefined {
    if (this.#missing === 0) return undefined;
    const parts = this.#missing === 1 ? "1 part has" : `${this.#missing} parts have`;
    return `The budget of values ended: ${parts} breaking changes without an example.`;
  }

  /** The changes of a part, the first breaking one with an example. */
  added(changes: readonly Change[], old: LocatedSchema, now: LocatedSchema): readonly Change[] {
    const first = changes.findIndex(({ severity }) => severity === "ERR");
    const change = changes[first];
    if (change === undefined) return changes;
    const isRequest = change.direction === "request";
    const found = isRequest ? this.#search(old, now) : this.#search(now, asReaders(old));
    return found === undefined ? changes : changes.with(first, { ...change, example: found.value });
  }

  #search(
    accepting: LocatedSchema,
    refusing: LocatedSchema,
  ): { readonly value: unknown } | undefined {
    // To compile 400 characters of schemas takes about as long as to try a value.
    this.#budget -= Math.ceil((lengthOf(accepting) + lengthOf(refusing)) / 400);
    if (this.#budget <= 0) {
      this.#missing += 1;
      return undefined;
    }
    try {
      for (const values of [near, random])
        for (const value of values(accepting)) {
          if (this.#budget <= 0) break;
          this.#budget -= 1;
          if (!accepts(refusing, value) && accepts(accepting, value)) return { value };
        }
    } catch (cause) {
      // Ajv cannot compile the schema, or no value of it was found.
      if (!(cause instanceof Error)) throw cause;
    }
    if (this.#budget <= 0) this.#missing += 1;
    return undefined;
  }
}

const lengthOf = ({ schema, source }: LocatedSchema): number =>
  JSON.stringify([schema, closureOf(schema, source)]).length;

/** Examples, and values of the first at the bounds of its keywords. */
function* near(accepting: LocatedSchema): Iterable<unknown> {
  const [first, ...others] = examples(accepting, { optional: "present" });
  yield* [first, ...others];
  for (const { value } of boundaries(accepting, first)) yield value;
}

const random = (accepting: LocatedSchema): Iterable<unknown> =>
  fc.sample(arbitrary(accepting), { seed: 1, numRuns: 20 });

/** A schema as readers apply it: unknown members and new values of open lists are valid. */
function asReaders(located: LocatedSchema): LocatedSchema {
  const { schema, source } = located;
  const [own, schemas] = JSON.parse(
    JSON.stringify([schema, closureOf(schema, source)]),
    opened,
  ) as readonly [JsonSchema, Readonly<Record<string, JsonSchema>>];
  return { ...located, schema: own, source: { ...source, schemas } };
}

function opened(_name: string, part: unknown): unknown {
  if (!isRecord(part)) return part;
  // The members of a schema are schemas or values; a value is not judged.
  const { oneOf, additionalProperties: map, enum: values, ...rest } = part;
  return {
    ...rest,
    ...(typeof map === "object" && { additionalProperties: map }),
    ...(oneOf !== undefined && { anyOf: oneOf }),
    ...(values !== undefined && rest["x-open"] !== true && { enum: values }),
  };
}
