import { itemsOf, kindsOf, membersOf, resolve } from "./resolve.ts";
import { JUDGING, pointOf } from "./negative.ts";
import type { Labelled } from "./labelled.ts";
import type { LocatedSchema } from "./schema.ts";

export interface Coverage {
  /** Points that a case is about. */
  readonly covered: readonly string[];
  /** Points that no case is about: what is left untested. */
  readonly uncovered: readonly string[];
}

/** Of the points of a schema, which the cases are about; a point is `document#pointer/keyword`. */
export function coverage(located: LocatedSchema, cases: readonly Labelled[]): Coverage {
  const told = new Set(cases.map(({ point }) => point));
  const points = pointsOf(located);
  return {
    covered: points.filter((point) => told.has(point)),
    uncovered: points.filter((point) => !told.has(point)),
  };
}

const SIMPLE = [...JUDGING, "oneOf"] as const;

/**
 * Every keyword of a schema, and of what it refers to, that can refuse a value. `type` beside `const` or
 * `enum` and `minLength` 0 refuse nothing that is left, and are no points.
 */
export function pointsOf(located: LocatedSchema): readonly string[] {
  const at = resolve(located);
  const { schema } = at;
  const own = SIMPLE.filter((keyword) => Object.hasOwn(schema, keyword))
    .filter((keyword) => !(keyword === "type" && schema.oneOf !== undefined))
    .filter((keyword) => !(keyword === "minLength" && schema.minLength === 0))
    .filter((keyword) => !(keyword === "minItems" && schema.minItems === 0))
    .map((keyword) => pointOf(at, keyword));
  const required = (schema.required ?? []).map((name) => `${pointOf(at, "required")}/${name}`);
  const closed = schema.additionalProperties === false ? [pointOf(at, "additionalProperties")] : [];
  const items = itemsOf(at);
  const inner = [
    ...kindsOf(at),
    ...membersOf(at).map(([, member]) => member),
    ...(items === undefined ? [] : [items]),
  ].flatMap(pointsOf);
  return [...new Set([...own, ...required, ...closed, ...inner])];
}
