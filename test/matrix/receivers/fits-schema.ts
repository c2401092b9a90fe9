import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Happening } from "./read-event.ts";

// The published documents through another validator than ours: a fault of ours would excuse itself.

const documents = new URL("../../../schemas/documents/", import.meta.url);

export interface FitOptions {
  /** Whether a member that the schema does not know is refused: a writer's view, wrong for a reader. */
  readonly isClosed: boolean;
}

/** Whether an event of a known type has the data that its schema demands; of any other it has. */
export function fitsSchema(event: Happening, { isClosed }: FitOptions): boolean {
  return validatorsOf(isClosed).get(event.type)?.(event) ?? true;
}

/** Whether there is a schema for events of this type. */
export const isKnownType = (type: string): boolean => validatorsOf(false).has(type);

const made = new Map<boolean, ReadonlyMap<string, ValidateFunction>>();

function validatorsOf(isClosed: boolean): ReadonlyMap<string, ValidateFunction> {
  const before = made.get(isClosed);
  if (before !== undefined) return before;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 6 });
  const ids = new Map<string, string>();
  for (const folder of ["events", "resources"])
    for (const name of readdirSync(new URL(folder, documents))) {
      const text = readFileSync(new URL(`${folder}/${name}`, documents), "utf8");
      const schema = JSON.parse(text, (key, value: unknown) =>
        asRead(key, value, isClosed),
      ) as Record<string, unknown>;
      ajv.addSchema(schema);
      const type = /^(\w+\.\w+)\.schema\.json$/.exec(name)?.[1];
      if (folder === "events" && type !== undefined) ids.set(type, String(schema["$id"]));
    }
  const validators = new Map(
    [...ids].map(([type, id]): [string, ValidateFunction] => {
      const validate = ajv.getSchema(id);
      if (validate === undefined) throw new Error(`there is no schema ${id}`);
      return [type, validate];
    }),
  );
  made.set(isClosed, validators);
  return validators;
}

/** A reader takes members that it does not know, and other values where the set is open. */
function asRead(key: string, value: unknown, isClosed: boolean): unknown {
  if (isClosed) return value;
  if (key === "additionalProperties" && value === false) return undefined;
  if (typeof value !== "object" || value === null) return value;
  if ("x-open" in value) {
    const { enum: _, ...open } = value as { readonly enum?: unknown };
    return open;
  }
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
  const closed = union.oneOf.map(({ properties }) => properties?.[name]?.const);
  const not = { enum: closed.filter((one) => one !== undefined) };
  const oneOf = union.oneOf.map((branch) => {
    const property = branch.properties?.[name];
    return property === undefined || "const" in property
      ? branch
      : { ...branch, properties: { ...branch.properties, [name]: { ...property, not } } };
  });
  return { ...union, oneOf };
}
