import type { Schema, Schemas } from "@countersign/service/internal";
import { resolved } from "./resolved.ts";

/** The values of the members that have one value alone, by their JSON Pointers. */
export function constantsOf(
  schema: Schema,
  schemas: Schemas,
  at = "",
): ReadonlyMap<string, string> {
  const { properties = {}, const: constant } = resolved(schema, schemas);
  if (typeof constant === "string") return new Map([[at, constant]]);
  return new Map(
    Object.entries(properties).flatMap(([name, member]) => [
      ...constantsOf(member, schemas, `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`),
    ]),
  );
}
