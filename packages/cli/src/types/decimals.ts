import { type JsonSchema, nameOf } from "@countersign/contract-kit/documents";
import { pointerOf } from "@countersign/schemas";
import { isDecimal, type TypesModel } from "./types-model.ts";

/** The decimals in a value: 1 is one, 0 is none, a text is a type's name, a list has all forms of a union. */
export type Shape = 0 | 1 | string | readonly Shape[] | { readonly [member: string]: Shape };

/** Stands for each item of a list, and each member of an object that has no name there. */
export const EACH = "*";

/** The decimals of the types that have some. */
export function shapesOf(model: TypesModel): ReadonlyMap<string, Shape> {
  const shapes = new Map([...model.types].map(([name, schema]) => [name, shapeOf(schema, model)]));
  const reaching = new Set<string>();
  const reaches = (shape: Shape): boolean => {
    if (typeof shape === "string") return reaching.has(shape);
    return typeof shape === "object" ? Object.values(shape).some(reaches) : shape === 1;
  };
  for (let size = -1; size < reaching.size;) {
    size = reaching.size;
    for (const [name, shape] of shapes) if (reaches(shape)) reaching.add(name);
  }
  const pruned = (shape: Shape): Shape => {
    if (!reaches(shape)) return 0;
    if (typeof shape !== "object") return shape;
    if (isList(shape)) return united(shape.map(pruned));
    const members = Object.entries(shape).map(([name, part]) => [name, pruned(part)] as const);
    const hasOthers = EACH in shape;
    return Object.fromEntries(members.filter(([, part]) => part !== 0 || hasOthers));
  };
  return new Map(
    [...shapes].flatMap(([name, shape]) => (reaches(shape) ? [[name, pruned(shape)]] : [])),
  );
}

function shapeOf(schema: JsonSchema, model: TypesModel): Shape {
  const inner = (part: JsonSchema): Shape => shapeOf(part, model);
  if (schema.$ref !== undefined) return model.typeNames.get(nameOf(schema.$ref)) ?? 0;
  const { properties, patternProperties = {}, additionalProperties: more, items } = schema;
  const others = [...Object.values(patternProperties), ...(typeof more === "object" ? [more] : [])];
  const each = [...others, ...(items === undefined ? [] : [items]), ...(schema.prefixItems ?? [])];
  const members = Object.entries(properties ?? {}).map(([name, part]) => [name, inner(part)]);
  const kinds = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return united([
    isDecimal(schema) ? 1 : 0,
    { ...Object.fromEntries(members), ...(each.length > 0 && { [EACH]: united(each.map(inner)) }) },
    ...kinds.map(inner),
  ]);
}

function united(shapes: readonly Shape[]): Shape {
  const [first = 0, ...more] = shapes.filter((shape) => shape !== 0);
  return more.length === 0 ? first : [first, ...more];
}

const isList = (shape: Shape): shape is readonly Shape[] => Array.isArray(shape);

/** JSON Pointers of the decimals of a type that are at one place: not in lists, maps, or a type inside itself. */
export function pointersOf(
  shape: Shape,
  shapes: ReadonlyMap<string, Shape>,
  { at = "", above = [] }: { readonly at?: string; readonly above?: readonly string[] } = {},
): readonly string[] {
  if (shape === 1) return [at];
  if (shape === 0) return [];
  if (typeof shape === "string")
    return above.includes(shape)
      ? []
      : pointersOf(shapes.get(shape) ?? 0, shapes, { at, above: [...above, shape] });
  const parts = isList(shape)
    ? shape.map((part) => pointersOf(part, shapes, { at, above }))
    : Object.entries(shape).map(([name, part]) =>
        name === EACH ? [] : pointersOf(part, shapes, { at: at + pointerOf([name]), above }),
      );
  return [...new Set(parts.flat())];
}
