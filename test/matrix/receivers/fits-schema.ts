import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Happening } from "./read-event.ts";

// The readers' documents through another validator than ours: a fault of ours would excuse itself.

const documents = new URL("../../../schemas/reader/", import.meta.url);
type Validators = ReadonlyMap<string, ValidateFunction>;
let made: Validators | undefined;
const open = (): Validators => (made ??= validators());

/** True if an event of a known type has the data that its schema demands, or its type is unknown. */
export const fitsSchema = (event: Happening): boolean => open().get(event.type)?.(event) ?? true;

/** True if there is a schema for events of this type. */
export const isKnownType = (type: string): boolean => open().has(type);

function validators(): Validators {
  const ajv = new Ajv2020();
  const ids = new Map<string, string>();
  for (const folder of ["events", "resources"])
    for (const name of readdirSync(new URL(folder, documents))) {
      const text = readFileSync(new URL(`${folder}/${name}`, documents), "utf8");
      const schema = JSON.parse(text) as Record<string, unknown>;
      ajv.addSchema(schema);
      const type = /^(\w+\.\w+)\.schema\.json$/.exec(name)?.[1];
      if (folder === "events" && type !== undefined) ids.set(type, String(schema["$id"]));
    }
  return new Map(
    [...ids].map(([type, id]): [string, ValidateFunction] => {
      const validate = ajv.getSchema(id);
      if (validate === undefined) throw new Error(`unknown schema ${id}`);
      return [type, validate];
    }),
  );
}
