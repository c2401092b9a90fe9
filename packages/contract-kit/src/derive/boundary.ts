import { isRecord } from "../values.ts";
import {
  labelled,
  partsOf,
  type Placed,
  type Labelled,
  type Steps,
  faultsOf,
  kindOf,
  typesOf,
} from "./faults.ts";
import { example } from "./example.ts";
import { JUDGING, pointOf, textOfLength } from "./negative.ts";
import { isUnion, type LocatedSchema, itemsOf, kindsOf, membersOf, resolve } from "./schema.ts";

/**
 * Valid values of a schema, each made from a valid one by moving one place to a bound of one
 * keyword: the shortest and the longest text, the least and the greatest number, each value of an enum,
 * each kind of a union, each type, and each member that may be absent, absent.
 *
 * @throws {OutsideSubsetError} `CS_KIT_OUTSIDE_SUBSET`
 */
export function boundaries(located: LocatedSchema, valid: unknown): readonly Labelled[] {
  return labelled(valid, boundariesAt(located, valid, []));
}

function boundariesAt(located: LocatedSchema, value: unknown, steps: Steps): readonly Placed[] {
  const at = resolve(located);
  const bound = (keyword: string, put: unknown): Placed => {
    return { steps, keyword, point: pointOf(at, keyword), value: put };
  };
  if (isUnion(at.schema)) {
    const kind = kindOf(at, value);
    const others = kindsOf(at).filter((one) => one.at !== kind?.at);
    return [
      ...(kind === undefined ? [] : boundariesAt(kind, value, steps)),
      ...others.map((one) => bound("oneOf", example(one, { optional: "present" }))),
    ];
  }
  const own = boundsOf(at, value).filter(([, put]) => faultsOf(at, put).length === 0);
  return [
    ...own.map(([keyword, put]) => bound(keyword, put)),
    ...absences(at, value, steps),
    ...partsOf(at, value).flatMap(([step, schema, part]) =>
      boundariesAt(schema, part, [...steps, step]),
    ),
  ];
}

/** Keywords with a value at their bound; the caller drops invalid ones. */
function boundsOf(at: LocatedSchema, value: unknown): readonly (readonly [string, unknown])[] {
  const { schema } = at;
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, multipleOf } = schema;
  const length = (keyword: string, of: number | undefined): [string, unknown][] => {
    if (of === undefined || typeof value !== "string") return [];
    const text = textOfLength(at, { from: value, length: of });
    return text === undefined ? [] : [[keyword, text]];
  };
  const items = (keyword: string, of: number | undefined): [string, unknown][] => {
    if (of === undefined || !Array.isArray(value)) return [];
    if (value.length === 0 && of > 0) return [];
    return [
      [keyword, Array.from({ length: of }, (_, index): unknown => value[index % value.length])],
    ];
  };
  return [
    ...length("minLength", minLength),
    ...length("maxLength", maxLength),
    ...items("minItems", minItems),
    ...items("maxItems", maxItems),
    ...(minimum === undefined ? [] : [["minimum", minimum] as const]),
    ...(maximum === undefined ? [] : [["maximum", maximum] as const]),
    ...(multipleOf === undefined ? [] : [["multipleOf", (minimum ?? 0) + multipleOf] as const]),
    ...(schema.enum ?? []).map((one) => ["enum", one] as const),
    ...("const" in schema ? [["const", schema.const] as const] : []),
    ...(typesOf(schema).length > 1 ? [["type", null] as const] : []),
  ];
}

function absences(at: LocatedSchema, value: unknown, steps: Steps): readonly Placed[] {
  if (!isRecord(value)) return [];
  const { required = [] } = at.schema;
  return membersOf(at)
    .filter(([name]) => !required.includes(name) && Object.hasOwn(value, name))
    .map(([name]) => {
      const point = `${pointOf(at, "properties")}/${name}`;
      return { steps: [...steps, name], keyword: "properties", point, value: undefined };
    });
}

export interface Coverage {
  /** Points that a case covers. */
  readonly covered: readonly string[];
  /** Points that no case covers. */
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
 * Every keyword of a schema, and of what it refers to, that can refuse a value. `type` next to `const` or
 * `enum` and `minLength` 0 refuse no further value, and are not points.
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
  const below = [
    ...kindsOf(at),
    ...membersOf(at).map(([, member]) => member),
    ...(items === undefined ? [] : [items]),
  ].flatMap(pointsOf);
  return [...new Set([...own, ...required, ...closed, ...below])];
}
