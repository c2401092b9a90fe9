import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Happening } from "./read-event.ts";

// The published documents through another validator than ours: a fault of ours would excuse itself.

const documents = new URL("../../../schemas/documents/", import.meta.url);
type Validators = ReadonlyMap<string, ValidateFunction>;
let made: Validators | undefined;
const open = (): Validators => (made ??= validators());

/** True if an event of a known type has the data that its schema demands, or its type is unknown. */
export const fitsSchema = (event: Happening): boolean => open().get(event.type)?.(event) ?? true;

/** True if there is a schema for events of this type. */
export const isKnownType = (type: string): boolean => open().has(type);

function validators(): Validators {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 6 });
  const ids = new Map<string, string>();
  for (const folder of ["events", "resources"])
    for (const name of readdirSync(new URL(folder, documents))) {
      const text = readFileSync(new URL(`${folder}/${name}`, documents), "utf8");
      const schema = JSON.parse(text, asRead) as Record<string, unknown>;
      ajv.addSchema(schema);
      const type = /^(\w+\.\w+)\.schema\.json$/.exec(name)?.[1];
      if (folder === "events" && type !== undefined) ids.set(type, String(schema["$id"]));
    }
  return new Map(
    [...ids].map(([type, id]): [string, ValidateFunction] => {
      const validate = ajv.getSchema(id);
      if (validate === undefined) throw new Error(`there is no schema ${id}`);
      return [type, validate];
    }),
  );
}

/** A reader accepts unknown members, and unknown values if the set is open. */
function asRead(key: string, value: unknown): unknown {
  if (key === "additionalProperties" && value === false) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if ("x-open" in value) return { ...value, enum: undefined };
  return "discriminator" in value && "oneOf" in value ? toldApart(value as Union) : value;
}

interface Union {
  readonly discriminator: { readonly propertyName: string };
  readonly oneOf: readonly {
    readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
  }[];
}

/** An open value of the name that tells kinds apart is not that of another kind. */
function toldApart({ discriminator: { propertyName: name }, ...union }: Union): unknown {
  const known = union.oneOf.map(({ properties }) => properties?.[name]?.const);
  const not = { enum: known.filter((one) => one !== undefined) };
  const oneOf = union.oneOf.map((branch) => {
    const property = branch.properties?.[name];
    return property === undefined || "const" in property
      ? branch
      : { ...branch, properties: { ...branch.properties, [name]: { ...property, not } } };
  });
  return { ...union, oneOf };
}
